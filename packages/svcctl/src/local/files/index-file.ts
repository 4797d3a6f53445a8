/**
 * The file that links a folder with a path of a repository. Its name and form are those of the data server's own tool,
 * so that both can work in one folder.
 */

import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { openFault } from "@svc-authorizer/commands/settings/settings-file.ts";
import { parse, stringify } from "yaml";
import { parseUri, type SvcUri, uriText } from "../../uri/svc-uri.ts";
import { writeWhole } from "../../whole-file.ts";

/** Its name. */
export const INDEX_NAME = ".lakefs_ref.yaml";
const SCHEME = "lakefs://";
const OWN_SCHEME = "svc://";

/** An operation that changes the folder while it runs; the file holds it until it ended well. */
export type Operation = "" | "clone" | "checkout" | "commit" | "pull";

/** Content of the file. */
export interface FolderIndex {
  /** The linked folder, absolute. */
  readonly root: string;
  /** The path of a repository that it is linked with. */
  readonly remote: SvcUri;
  /** The commit that the folder was last the same as. */
  readonly head: string;
  /** The operation that did not end. */
  readonly operation: string;
}

/** Thrown where a folder is not linked. */
export class NotLinked extends Error {
  override readonly name = "NotLinked";
}

/** Writes the file. */
export async function writeIndex({ root, remote, head, operation }: FolderIndex): Promise<void> {
  const src = uriText(remote).replace(OWN_SCHEME, SCHEME);
  const text = stringify({ src, at_head: head, active_operation: operation });
  await writeWhole(join(root, INDEX_NAME), text, 0o644);
}

/** True for a folder that has the file. */
export function isLinked(folder: string): Promise<boolean> {
  return exists(join(folder, INDEX_NAME));
}

/**
 * Reads the file of a folder, or of the nearest one above it that has one.
 * @throws NotLinked where there is none
 */
export async function readIndex(folder: string): Promise<FolderIndex> {
  const root = await linkedFolder(resolve(folder));
  if (root === undefined) {
    throw new NotLinked(
      `could not find svc reference file in path ${folder} or parents: file does not exist`,
    );
  }
  const file = join(root, INDEX_NAME);
  const content: unknown = parse(await readFile(file, "utf8"));
  const {
    src,
    at_head: head = "",
    active_operation: operation = "",
  } = (content ?? {}) as Record<string, unknown>;
  if (typeof src !== "string") throw new Error(`${file}: names no repository`);
  const uri = parseUri(
    file,
    src.startsWith(SCHEME) ? OWN_SCHEME + src.slice(SCHEME.length) : src,
    "path",
    undefined,
  );
  return { root, remote: uri, head: String(head), operation: String(operation ?? "") };
}

async function linkedFolder(start: string): Promise<string | undefined> {
  let found: Awaited<ReturnType<typeof stat>>;
  try {
    found = await stat(start);
  } catch (error) {
    throw new NotLinked(`${start}: ${openFault(start, error, "stat")}`, { cause: error });
  }
  let folder = found.isDirectory() ? start : dirname(start);
  while (dirname(folder) !== folder) {
    if (await exists(join(folder, INDEX_NAME))) return folder;
    folder = dirname(folder);
  }
  return undefined;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
