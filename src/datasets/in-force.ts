/**
 * Finds out that the same data sets are in force already (spec/decision-api §6): a load leaves a digest of everything that it
 * depends on, and nothing of the directory was touched since it was compared with it.
 */

import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import type { BatchOptions } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import type { LoadBefore, LoadOptions, ReadState } from "./load-datasets.ts";
import { PieceDigests, type StoredPieces } from "./piece-digests.ts";
import { fileDigest } from "./pieces/open-pieces.ts";

/** Name of the mark. */
const MARK = "datasets";
const FORMAT = 2;
const PAGE = 1_000;
/** Most entries that are looked at: to compare the data sets takes about as long. */
const MOST_ENTRIES = 20_000;

/** A load, and what it depends on beside its files. */
interface LoadOf
  extends Pick<LoadOptions, "directory" | "catalog" | "files" | "mode" | "env" | "guards" | "limits"> {
  /** Version of the program. */
  readonly version: string;
  /** Makes the digest one that tells nothing of secrets; `auth.encrypt.secret_key`. */
  readonly key: string;
}

/** The mark as it is stored. */
interface StoredMark {
  readonly format: number;
  readonly digest: string;
  /** Names of environment variables that the digest covers. */
  readonly environment: readonly string[];
  /** Revision of the state that was compared. */
  readonly compared: number;
  /** True if the commit of the load changes something beside the mark. */
  readonly hasChanges: boolean;
  /** Digest of what a piece depends on beside its text. */
  readonly rules: string;
  /** Absent where there were too many. */
  readonly pieces?: StoredPieces;
}

/** Makes the mark of a load. */
export function inForceMark(load: LoadOf): (read: ReadState) => NonNullable<BatchOptions["mark"]> {
  return ({ files, environment, revision, hasChanges, pieces, preconfigured }) => {
    const digest = digestOfLoad(load, files, environment);
    const rules = digestOfRules(load, environment, preconfigured);
    const stored = pieces?.stored;
    const mark = { format: FORMAT, digest, environment, compared: revision, hasChanges, rules };
    return {
      name: MARK,
      value: { ...mark, ...(stored !== undefined && { pieces: stored }) } satisfies StoredMark,
    };
  };
}

/**
 * Finds the pieces of a load that are in force: users who stand in the files as before, where everything that they depend on is
 * as before, and nobody wrote in between.
 */
export function loadBefore(load: LoadOf): LoadBefore {
  const { directory, key } = load;
  return {
    digests: () => new PieceDigests(key),
    async valid(pieces) {
      const mark = await markOf(directory);
      if (mark?.pieces === undefined) return undefined;
      // The names of variables and this flag say nothing of the form; the program's version, which the rules cover, does.
      const isSame = [true, false].some((flag) => mark.rules === digestOfRules(load, mark.environment, flag));
      if (!isSame) return undefined;
      const isKnown = knownOf(mark.pieces);
      return (piece) => piece.section === "users" && isKnown(pieces.of(piece));
    },
    async inForce({ environment, revision, preconfigured, pieces }) {
      const mark = await markOf(directory);
      if (mark?.pieces === undefined || mark.rules !== digestOfRules(load, environment, preconfigured))
        return undefined;
      const others = pieces.stored?.others;
      if (others === undefined || !isDeepStrictEqual(others, mark.pieces.others)) return undefined;
      // The state is from before this look, which finds at least what the state has.
      if (mark.revision > revision || !(await isUntouched(directory, mark))) return undefined;
      const isKnown = knownOf(mark.pieces);
      return (number) => isKnown(pieces.ofUsers(number));
    },
  };
}

/** Returns what is true for the digests of pieces of users that an earlier load had; false where a piece has none. */
function knownOf({ users }: StoredPieces): (digest: string | undefined) => boolean {
  const known = new Set(users);
  return (digest) => digest !== undefined && known.has(digest);
}

/** The mark of the last load, and the revision of its entry. */
async function markOf(
  directory: Directory,
): Promise<(StoredMark & { readonly revision: number }) | undefined> {
  const mark = await directory.batches.mark(MARK);
  const value = mark?.value as StoredMark | undefined;
  return value?.format === FORMAT ? { ...value, revision: mark!.revision } : undefined;
}

/** True if the data sets of a load are in force, so that it would change nothing. */
export async function areInForce(load: LoadOf): Promise<boolean> {
  const { directory } = load;
  const mark = await markOf(directory);
  if (mark === undefined || !(await isUntouched(directory, mark))) return false;
  const { digest, environment } = mark;
  const { files, problems } = await selectFiles(load.files);
  if (problems.length > 0) return false;
  const digests: (readonly [string, string])[] = [];
  for (const file of files) digests.push([file, (await fileDigest(file)) ?? "unreadable"]);
  return digestOfLoad(load, digests, environment) === digest;
}

/** True if nobody but the load of a mark touched anything that data sets define after the state that it compared. */
async function isUntouched(
  { history }: Directory,
  mark: Pick<StoredMark, "compared" | "hasChanges"> & { readonly revision: number },
): Promise<boolean> {
  // The entry of the load may hold use cases of others as well.
  const own = { revision: mark.revision, touches: mark.hasChanges ? 1 : 0 };
  for (let read = mark.compared, count = 0; ; ) {
    const entries = await history.entries(read, PAGE);
    count += entries?.length ?? 0;
    if (entries === undefined || count > MOST_ENTRIES) return false;
    for (const { revision, change, useCases } of entries) {
      const ofLoad = revision === own.revision ? own.touches : 0;
      const touching = useCases.filter(({ touched }) => touched !== undefined).length;
      if (touching > ofLoad || (change !== undefined && ofLoad === 0)) return false;
    }
    if (entries.length < PAGE) return true;
    read = entries.at(-1)!.revision;
  }
}

function digestOfLoad(load: LoadOf, files: ReadState["files"], environment: readonly string[]): string {
  return keyed(load, "data sets in force", { ...rulesOf(load, environment), files });
}

/** Digest of what a piece depends on beside its text and the pieces of other sections. */
function digestOfRules(load: LoadOf, environment: readonly string[], preconfigured: boolean): string {
  return keyed(load, "rules of data sets", { ...rulesOf(load, environment), preconfigured });
}

function rulesOf({ catalog, mode, guards, limits, env, version }: LoadOf, environment: readonly string[]) {
  const secrets = environment.map((name) => [name, env(name) ?? null]);
  return { version, shipped: shippedOf(catalog), mode, guards, limits, secrets };
}

function keyed({ key }: LoadOf, what: string, value: object): string {
  return createHmac("sha256", `${what}\0${key}`).update(JSON.stringify(value)).digest("base64url");
}

function shippedOf({ digest, partition }: Catalog) {
  return { digest, partition };
}
