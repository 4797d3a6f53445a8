/** Finds linked folders, and `svcctl local list`. */

import { join, relative } from "node:path";
import type { CommandCall } from "../command.ts";
import { printPage } from "../output/page.ts";
import { uriText } from "../uri/svc-uri.ts";
import { folderEntries } from "./files/folder-entries.ts";
import { INDEX_NAME, readIndex } from "./files/index-file.ts";
import { folderOf } from "./local-arguments.ts";

/** Linked folders below a folder, relative to it. Hidden folders are left out, and what is in a linked folder too. */
export async function findLinkedFolders(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await folderEntries(folder);
    if (entries.some(({ name }) => name === INDEX_NAME)) {
      found.push(relative(root, folder) || ".");
      return;
    }
    for (const entry of entries) {
      if (entry.isDirectory() && !entry.name.startsWith(".")) await visit(join(folder, entry.name));
    }
  };
  await visit(root);
  return found;
}

export async function listFolders(call: CommandCall): Promise<void> {
  const root = await folderOf(call, 0, true);
  const columns = [
    { heading: "Directory", name: "directory", fields: ["directory"] },
    { heading: "Remote URI", name: "remote", fields: ["remote"] },
    { heading: "Synced commit", name: "at_head", fields: ["at_head"] },
  ];
  const results = [];
  for (const directory of await findLinkedFolders(root)) {
    const { remote, head } = await readIndex(join(root, directory));
    results.push({ directory, remote: uriText(remote), at_head: head });
  }
  const page = { results, next: undefined, amount: results.length, answer: { results } };
  await printPage(call, page, { columns, end: "" });
}
