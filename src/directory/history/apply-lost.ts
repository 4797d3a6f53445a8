/** Makes again what a log lost, as far as it still fits: one ordinary commit (spec/journal §3). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Touched } from "../../store/port.ts";
import type { DirectoryContext } from "../context.ts";
import type { LostChanges, LostGroup, LostReport } from "../lost-changes.ts";
import { BATCH_DEADLINE_MS } from "../write/batches/apply-operations.ts";
import { ADMINS, someAdministrator } from "../write/set-up-mark.ts";
import type { Transaction } from "../write/transaction.ts";
import { type EntityNames, entityNames } from "./entity-names.ts";
import { type GroupParts, isSame, LostGroupRun, shownThing } from "./lost-group.ts";
import { groupsOf, isMadeAgain, type LostUnit, type UnitGroup, unitsOf } from "./lost-units.ts";
import { WrittenSince } from "./written-since.ts";

/**
 * Makes lost changes again, each group of them whole or not at all.
 * @throws AuthorizerError "invalid_request" where the file is of another log or past, or nobody can say what was changed
 * since, or it would leave no administrator
 */
export async function applyLost(
  context: DirectoryContext,
  lost: LostChanges,
  { dryRun }: { readonly dryRun: boolean },
): Promise<LostReport> {
  await assertPast(context, lost);
  const names = await entityNames(context, lost);
  const since = new WrittenSince(context.store, lost.common.revision);
  const work = async (tx: Transaction): Promise<LostReport> => {
    await since.readTo(tx.revision);
    return run({ context, tx, names, since }, lost);
  };
  if (dryRun) return context.writer.rehearse(work);
  const report = await context.writer.write(work, BATCH_DEADLINE_MS);
  context.wakeMaintenance();
  return report;
}

/** Throws unless the log has the past that the file begins with. */
async function assertPast(
  { store: { history } }: DirectoryContext,
  { log, common }: LostChanges,
): Promise<void> {
  if (history.head.log !== log) {
    throw new AuthorizerError(
      "invalid_request",
      `the file is of log ${log.slice(0, 8)}, and the database has another one`,
    );
  }
  if ((await history.idOf(common.revision)) === common.id) return;
  const message = `the log no longer has entry ${common.revision}, which it had when the file was written: it went back again, or the file is too old`;
  throw new AuthorizerError("invalid_request", message);
}

async function run(parts: GroupParts, lost: LostChanges): Promise<LostReport> {
  const { tx, names } = parts;
  const hadAdministrator = (await someAdministrator(tx)) !== undefined;
  const { units, unchanged } = await unitsOf(lost, tx, isSame);
  const wanted = withoutBelongings(units);
  const groups = inOrder(groupsOf(wanted, lost.entries, (unit) => namesOf(unit, names)));
  const refused = await applyFitting(groups, parts);
  if (hadAdministrator && (await someAdministrator(tx)) === undefined) {
    throw new AuthorizerError(
      "invalid_request",
      `this would leave no administrator: nobody active in ${ADMINS} could sign in`,
    );
  }
  const shown = groups.map((group) => shownGroup(group, names, lost, refused.get(group) ?? []));
  return { groups: shown, unchanged, leftOut: leftOutOf(lost) };
}

/**
 * Applies what fits, and returns why the others do not. What depends on another group is tried again after it.
 */
async function applyFitting(
  groups: readonly UnitGroup[],
  parts: GroupParts,
): Promise<ReadonlyMap<UnitGroup, readonly string[]>> {
  const refused = new Map<UnitGroup, readonly string[]>();
  for (let waiting = groups; waiting.length > 0; ) {
    const left: UnitGroup[] = [];
    for (const group of waiting) {
      const one = new LostGroupRun(group, parts);
      const reasons = await one.refusals();
      if (reasons.length === 0) one.apply();
      else left.push(group);
      if (reasons.length === 0) refused.delete(group);
      else refused.set(group, reasons);
    }
    if (left.length === waiting.length) return refused;
    waiting = left;
  }
  return refused;
}

/** Without what goes with an entity that is removed: its indexes, and what upkeep removes after it. */
function withoutBelongings(units: readonly LostUnit[]): readonly LostUnit[] {
  const removed = new Set<string>();
  for (const { kind, writes } of units) {
    for (const { partition, record, now } of writes) {
      const [id, nextId] = [idOf(now), idOf(record)];
      if (partition === kind && id !== undefined && id !== nextId) removed.add(id);
    }
  }
  const goesAlong = ({ kind, ids, writes }: LostUnit): boolean =>
    writes.every(({ partition, record }) => record === undefined && partition !== kind) &&
    [...ids, ...writes.flatMap(({ now }) => idOf(now) ?? [])].some((id) => removed.has(id));
  return units.filter((unit) => !goesAlong(unit));
}

function idOf(record: object | undefined): string | undefined {
  return (record as { readonly id?: string } | undefined)?.id;
}

/** First what no entry names, then by entry. */
function inOrder(groups: readonly UnitGroup[]): readonly UnitGroup[] {
  const last = ({ entries }: UnitGroup): number => Math.max(0, ...entries);
  return groups.toSorted((a, b) => last(a) - last(b));
}

function namesOf({ kind, ids, holder, writes }: LostUnit, names: EntityNames): Touched {
  const nameOf = (id: string | undefined): string => names.get(id ?? "")?.name ?? "";
  const [one, other] = ids;
  if (kind === "membership") return { users: [nameOf(one)], groups: [nameOf(other)] };
  if (holder !== undefined)
    return { [holder === "user" ? "users" : "groups"]: [nameOf(one)], policies: [nameOf(other)] };
  if (kind === "user" || kind === "end of sessions" || kind === "password") return { users: [nameOf(one)] };
  if (kind === "group") return { groups: [nameOf(one)] };
  if (kind === "policy") return { policies: [nameOf(one)] };
  if (kind === "resource" || kind === "resource type") return { resources: [one!] };
  const owners = writes.flatMap(
    ({ now }) => (now as { readonly username?: string } | undefined)?.username ?? [],
  );
  return { users: owners };
}

function shownGroup(
  { entries, units }: UnitGroup,
  names: EntityNames,
  lost: LostChanges,
  refusals: readonly string[],
): LostGroup {
  const actors = lost.entries
    .filter(({ revision }) => entries.has(revision))
    .flatMap(({ useCases = [] }) => useCases.flatMap(({ actor }) => actor ?? []));
  return {
    entries: [...entries].sort((a, b) => a - b),
    actors: [...new Set(actors)],
    things: units.map((unit) => shownThing(unit, names)),
    refusals,
  };
}

function leftOutOf({ puts, removed }: LostChanges): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { partition } of [...puts, ...removed]) {
    // Marks for upkeep are made anew.
    if (isMadeAgain(partition) || partition === "sweep") continue;
    counts.set(partition, (counts.get(partition) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
