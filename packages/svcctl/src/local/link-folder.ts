/** Links a folder with a path of a repository, and `svcctl local init`. */

import { stat } from "node:fs/promises";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { fetchStats } from "../objects/object-stats.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { type SvcUri, uriText } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { say } from "./compare/compare-folder.ts";
import { gitRoot } from "./files/git.ts";
import { ignoreInGit } from "./files/git-ignore.ts";
import { type FolderIndex, isLinked, type Operation, writeIndex } from "./files/index-file.ts";
import { folderOf } from "./local-arguments.ts";

export async function initFolder(call: CommandCall): Promise<void> {
  const remote = uriArgument(call, 0, "path URI", "path");
  const folder = await folderOf(call, 1);
  const index = await linkFolder(call, openApi(call.context), remote, folder, "");
  const shown = { directory: folder, remote: uriText(index.remote), at_head: index.head };
  await printObject(
    call,
    shown,
    () =>
      `Successfully linked local directory '${folder}' with remote '${safeText(uriText(index.remote))}'\n`,
  );
}

/**
 * Links a folder, which is made where it lacks, and keeps it out of git.
 * @param operation what fills it now
 * @throws Error where it is linked already and `--force` was not given, or the path is an object
 */
export async function linkFolder(
  call: CommandCall,
  api: ApiClient,
  given: SvcUri,
  folder: string,
  operation: Operation,
): Promise<FolderIndex> {
  const head = await commitOf(api, given);
  const remote = await asFolder(api, given);
  const root = call.options["gitignore"] === false ? undefined : await gitRootOf(folder);
  if (root === folder) {
    throw new Error(`Directory '${folder}' is a git repository, please specify a sub-directory`);
  }
  makeFolder(folder);
  if ((await isLinked(folder)) && call.options["force"] !== true) {
    throw new Error(
      `directory '${folder}' already linked to a svc path, run command with --force to overwrite`,
    );
  }
  const index = { root: folder, remote, head, operation };
  await writeIndex(index);
  if (call.options["gitignore"] !== false) {
    const inGit = root ?? (await gitRoot(folder));
    if (inGit !== undefined) say(call, `Location added to ${await ignoreInGit(inGit, folder)}\n`);
  }
  return index;
}

/** The id of the commit that a ref names. */
export async function commitOf(api: ApiClient, { repository, ref }: SvcUri): Promise<string> {
  const path = ["repositories", repository, "commits", ref];
  return textField(await api.fetchObject({ method: "GET", path, expect: 200 }), "id");
}

async function gitRootOf(folder: string): Promise<string | undefined> {
  const there = await stat(folder).catch(() => undefined);
  return there === undefined ? undefined : gitRoot(folder);
}

/** The path with a slash at its end. Throws an Error where it is an object. */
async function asFolder(api: ApiClient, uri: SvcUri): Promise<SvcUri> {
  const { repository, ref, path = "" } = uri;
  if (path === "" || path.endsWith("/")) return { ...uri, path };
  const found = await fetchStats(api, { repository, ref, path }, false).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  });
  if (found === undefined) return { ...uri, path: `${path}/` };
  throw new Error(
    `svc path ${safeText(uriText(uri))} is an existing object and cannot be used as a reference source`,
  );
}
