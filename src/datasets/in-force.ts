/**
 * Finds out that the same data sets are in force already (spec/decision-api §6): a load leaves a digest of everything that it
 * depends on, and nothing of the directory was touched since it was compared with it.
 */

import { createHmac } from "node:crypto";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import type { BatchOptions } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import type { LoadOptions, ReadState } from "./load-datasets.ts";
import { fileDigest } from "./pieces/open-pieces.ts";

/** Name of the mark. */
const MARK = "datasets";
const FORMAT = 1;
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
}

/** Makes the mark of a load. */
export function inForceMark(load: LoadOf): (read: ReadState) => NonNullable<BatchOptions["mark"]> {
  return ({ files, environment, revision, hasChanges }) => {
    const digest = digestOfLoad(load, files, environment);
    return {
      name: MARK,
      value: { format: FORMAT, digest, environment, compared: revision, hasChanges } satisfies StoredMark,
    };
  };
}

/** True if the data sets of a load are in force, so that it would change nothing. */
export async function areInForce(load: LoadOf): Promise<boolean> {
  const { directory } = load;
  const mark = await directory.batches.mark(MARK);
  if (mark === undefined) return false;
  const { format, digest, environment, compared, hasChanges } = mark.value as StoredMark;
  const own = { revision: mark.revision, touches: hasChanges ? 1 : 0 };
  if (format !== FORMAT || !(await isUntouched(directory, compared, own))) return false;
  const { files, problems } = await selectFiles(load.files);
  if (problems.length > 0) return false;
  const digests: (readonly [string, string])[] = [];
  for (const file of files) digests.push([file, (await fileDigest(file)) ?? "unreadable"]);
  return digestOfLoad(load, digests, environment) === digest;
}

/**
 * True if nobody but the load touches anything that data sets define after a revision.
 * @param own the entry of the load, and how many use cases of it the load is: an entry may hold those of others as well
 */
async function isUntouched(
  { history }: Directory,
  after: number,
  own: { readonly revision: number; readonly touches: number },
): Promise<boolean> {
  for (let read = after, count = 0; ; ) {
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

function digestOfLoad(
  { catalog, mode, guards, limits, env, version, key }: LoadOf,
  files: ReadState["files"],
  environment: readonly string[],
): string {
  const secrets = environment.map((name) => [name, env(name) ?? null]);
  const rules = { version, shipped: shippedOf(catalog), mode, guards, limits };
  return createHmac("sha256", `data sets in force\0${key}`)
    .update(JSON.stringify({ ...rules, files, secrets }))
    .digest("base64url");
}

function shippedOf({ digest, partition }: Catalog) {
  return { digest, partition };
}
