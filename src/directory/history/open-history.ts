/** The past of a directory: `../history.ts` is its contract. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { positionText } from "@svc-authorizer/policy/model/position.ts";
import { Turns } from "../../schedule/turns.ts";
import type { CommittedChange, KeyWrite, Snapshot, Thing, UseCase } from "../../store/port.ts";
import { notFound } from "../checks.ts";
import type { DirectoryContext } from "../context.ts";
import type { DirectoryHistory, EntryAbout, PastPage, PastResults, PolicyVersion } from "../history.ts";
import { Reader } from "../read/reader.ts";
import type { PolicyRecord } from "../records/layout.ts";
import { toPolicy } from "../records/policy-records.ts";
import { readStateOf } from "../write/batches/batch-state.ts";
import { ReaderView } from "../write/batches/state-view.ts";
import { applyLost } from "./apply-lost.ts";
import { namedRevision, positionOf, readingNamed } from "./named-entry.ts";
import { openable, restoreState } from "./restore.ts";
import { entryAtTime } from "./time.ts";

const KINDS = ["users", "groups", "policies", "resources"] as const;
const MEMBERS = { user: "users", group: "groups", policy: "policies" } as const;

/** Opens the past of a directory. */
export function createHistory(context: DirectoryContext): DirectoryHistory {
  const { store } = context;
  const { history } = store;
  const stateOf = <T>(revision: number, read: (reader: Reader, snapshot: Snapshot) => Promise<T>) =>
    withPast(context, revision, read);
  return {
    get head() {
      return history.head;
    },
    keptFrom: () => history.keptFrom(),
    entries: (after, limit) => store.changes(after, limit),
    revisionAt: (time) => entryAtTime(store, time),
    state: (revision, { secrets }) =>
      stateOf(revision, (reader) => readStateOf(reader, secrets ? openable(context) : () => undefined)),
    viewing: (revision, { secrets }, look) =>
      stateOf(revision, (reader) =>
        look(new ReaderView(reader, secrets ? openable(context) : () => undefined)),
      ),
    about: async (thing, page) => {
      const { results, next } = await entriesAbout(context, thing, page);
      return {
        results: results.map((entry) => toEntryAbout(context, entry, thing)),
        next: next && positionText(next.revision, store.logId, next.id),
      };
    },
    policyVersions: (name, page) => versionsOf(context, name, page),
    policyVersion: async (name, position) => {
      const read = (revision: number) => versionAt(context, name, revision);
      const found = isPossibleName(name) ? await readingNamed(store, position, read) : undefined;
      const { policy } = found ?? {};
      if (found === undefined || policy === undefined) {
        throw notFound(`version ${position} of policy`, name);
      }
      return { ...found, policy };
    },
    revisionOf: (position) => namedRevision(store, position),
    stateAt: (position, { secrets }) =>
      readingNamed(store, position, (revision) =>
        stateOf(revision, (reader) => readStateOf(reader, secrets ? openable(context) : () => undefined)),
      ),
    restore: (revision, options) => stateOf(revision, (past) => restoreState(context, past, options)),
    applyLost: (lost, options) => applyLost(context, lost, options),
  };
}

async function withPast<T>(
  { store, policies }: DirectoryContext,
  revision: number,
  read: (reader: Reader, snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const snapshot = await store.history.snapshotAt(revision);
  try {
    return await read(new Reader(snapshot, policies), snapshot);
  } finally {
    snapshot.release();
  }
}

async function entriesAbout(
  { store }: DirectoryContext,
  thing: Thing,
  { before = Number.MAX_SAFE_INTEGER, amount }: PastPage,
): Promise<{ readonly results: readonly CommittedChange[]; readonly next: CommittedChange | undefined }> {
  if (!isPossibleName(thing.name)) return { results: [], next: undefined };
  const results = await store.history.about(thing, before, amount);
  return { results, next: results.length < amount ? undefined : results.at(-1) };
}

function toEntryAbout(
  { store }: DirectoryContext,
  { revision, id, at, useCases }: CommittedChange,
  thing: Thing,
): EntryAbout {
  const about = useCases.filter((useCase) => isAbout(useCase, thing));
  const all = about.some(({ touched }) => touched?.all === true);
  const touched = KINDS.filter((kind) => about.some((one) => (one.touched?.[kind] ?? []).length > 0));
  const position = positionText(revision, store.logId, id);
  return { revision, position, at, actors: actorsOf(about), touched: all ? [...touched, "all"] : touched };
}

function isAbout({ touched }: UseCase, { kind, name }: Thing): boolean {
  return touched?.all === true || touched?.[MEMBERS[kind]]?.includes(name) === true;
}

function actorsOf(useCases: readonly UseCase[]): readonly string[] {
  return [...new Set(useCases.flatMap(({ actor }) => actor ?? []))];
}

async function versionsOf(
  context: DirectoryContext,
  name: string,
  page: PastPage,
): Promise<PastResults<PolicyVersion>> {
  const thing: Thing = { kind: "policy", name };
  const { results, next } = await entriesAbout(context, thing, page);
  const latest = isPossibleName(name) ? await latestOf(context, name) : undefined;
  const found: PolicyVersion[] = [];
  const turns = new Turns();
  for (const entry of results) {
    const version = await versionOfEntry(context, name, entry, latest);
    if (version !== undefined) found.push(version);
    if (turns.spent) await turns.yield();
  }
  if (next !== undefined)
    return { results: found, next: positionText(next.revision, context.store.logId, next.id) };
  const oldest = isPossibleName(name) ? await oldestVersion(context, name) : undefined;
  // The version that was in force before everything that is kept.
  const isNew = oldest !== undefined && !found.some(({ revision }) => revision === oldest.revision);
  return { results: isNew && isWithin(oldest, page) ? [...found, oldest] : found, next: undefined };
}

function isWithin({ revision }: PolicyVersion, { before = Number.MAX_SAFE_INTEGER }: PastPage): boolean {
  return revision < before;
}

async function versionOfEntry(
  { store, policies }: DirectoryContext,
  name: string,
  { revision, id, at, useCases }: CommittedChange,
  latest: LatestRecord | undefined,
): Promise<PolicyVersion | undefined> {
  // The last that wrote it is known by its record: an entry of a large data set need not be read for it.
  const isKnown = latest !== undefined && revision >= latest.revision && revision > latest.keptFrom;
  if (isKnown && revision > latest.revision) return undefined;
  const write = isKnown ? latest : await store.history.writeOf(revision, { partition: "policy", key: name });
  if (write === undefined) return undefined;
  const about = useCases.filter((useCase) => isAbout(useCase, { kind: "policy", name }));
  const position = positionText(revision, store.logId, id);
  const head = { revision, position, at, actors: actorsOf(about) };
  if (write.value === undefined) return { ...head, policy: undefined, partial: false };
  const record: PolicyRecord = policies.decode(name, { value: write.value, version: String(revision) });
  return { ...head, policy: toPolicy(name, record), partial: record.whole !== true };
}

/** The record that a policy has now, with the revision of the entry that wrote it. */
interface LatestRecord extends KeyWrite {
  readonly revision: number;
  /** Entries after this revision are kept. */
  readonly keptFrom: number;
}

async function latestOf({ store }: DirectoryContext, name: string): Promise<LatestRecord | undefined> {
  const keptFrom = await store.history.keptFrom();
  const snapshot = await store.snapshot();
  const stored = await snapshot.get("policy", name).finally(() => snapshot.release());
  return stored && { value: stored.value, revision: Number(stored.version), keptFrom };
}

/** The version of a policy in the oldest state that is kept. */
async function oldestVersion(
  { store, policies }: DirectoryContext,
  name: string,
): Promise<(PolicyVersion & { readonly policy: NonNullable<PolicyVersion["policy"]> }) | undefined> {
  const from = await store.history.keptFrom();
  try {
    const stored = await store.history.recordAt(from, { partition: "policy", key: name });
    if (stored === undefined) return undefined;
    const record = policies.decode(name, stored);
    const policy = toPolicy(name, record);
    const partial = record.whole !== true;
    const revision = Number(stored.version);
    const position = await positionOf(store, revision);
    return { revision, position, at: undefined, actors: [], policy, partial };
  } catch (error) {
    // It was trimmed meanwhile.
    if (error instanceof AuthorizerError && error.code === "not_found") return undefined;
    throw error;
  }
}

async function versionAt(
  context: DirectoryContext,
  name: string,
  revision: number,
): Promise<PolicyVersion | undefined> {
  const [entry] = (await context.store.changes(revision - 1, 1)) ?? [];
  if (entry?.revision === revision) {
    const found = await versionOfEntry(context, name, entry, await latestOf(context, name));
    if (found !== undefined) return found;
  }
  const oldest = await oldestVersion(context, name);
  return oldest?.revision === revision ? oldest : undefined;
}
