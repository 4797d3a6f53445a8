/** Exports the directory as a data set. Loading it gives the same state (spec/decision-api §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { DATASET_FORMAT } from "@svc-authorizer/policy/model/dataset.ts";
import { MAX_YAML_BYTES } from "@svc-authorizer/policy/source-files/read-document.ts";
import { stringify } from "yaml";
import type { StateView } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import { ExportedEntries, type Omitted } from "./exported-entries.ts";
import { SECTIONS } from "./pieces/piece.ts";

/** Options of {@link exportDataset}. */
interface ExportOptions {
  readonly format: "json" | "yaml";
  /** Include credentials with their secrets in clear text. Otherwise they are left out. */
  readonly secrets: boolean;
  /** Revision whose state is exported; absent: the newest. Secrets that no present key opens are left out of it. */
  readonly revision?: number;
}

/** Takes a piece of text; resolves when there is room for more, undefined where there is. */
type Write = (text: string) => Promise<void> | undefined;

/** Characters that are written together. */
const CHUNK = 64 * 1024;

/**
 * Exports users, groups, policies, attachments, declared resource types and registered resources, including
 * preconfigured ones in their present form. Of memberships, those are left out that claims of an identity provider made.
 * Written piece by piece from one state, so that a directory of any size takes little memory.
 * @throws AuthorizerError "invalid_request" for YAML over 5 MiB, which `load` would refuse; nothing is written then
 */
export function exportDataset(
  directory: Directory,
  { format, secrets, revision }: ExportOptions,
  write: Write,
): Promise<Readonly<Omitted>> {
  const { batches, history } = directory;
  const look = async (view: StateView): Promise<Readonly<Omitted>> => {
    const entries = new ExportedEntries(view, secrets);
    await (format === "json" ? writeJson(entries, write) : writeYaml(entries, write));
    return entries.omitted;
  };
  return revision === undefined
    ? batches.viewing({ secrets }, look)
    : history.viewing(revision, { secrets }, look);
}

/** Writes what `JSON.stringify` gives with an indentation of 2; a list without entries is left out. */
async function writeJson(entries: ExportedEntries, write: Write): Promise<void> {
  let text = `{\n  "format": ${JSON.stringify(DATASET_FORMAT)}`;
  for (const section of SECTIONS) {
    let before = `,\n  ${JSON.stringify(section)}: [\n    `;
    let after = "";
    for await (const entry of entries.of(section)) {
      text += before + JSON.stringify(entry, null, 2).replaceAll("\n", "\n    ");
      [before, after] = [",\n    ", "\n  ]"];
      if (text.length < CHUNK) continue;
      await write(text);
      text = "";
    }
    text += after;
  }
  await write(`${text}\n}\n`);
}

async function writeYaml(entries: ExportedEntries, write: Write): Promise<void> {
  const document: Record<string, unknown> = { format: DATASET_FORMAT };
  let length = 0;
  for (const section of SECTIONS) {
    const list: object[] = [];
    for await (const entry of entries.of(section)) {
      list.push(entry);
      // YAML is longer, and slow to write: one that is too large even as compact JSON is refused before.
      length += JSON.stringify(entry).length;
      if (length > MAX_YAML_BYTES) throw tooLargeForYaml();
    }
    if (list.length > 0) document[section] = list;
  }
  const text = stringify(document, {
    version: "1.2",
    schema: "core",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) throw tooLargeForYaml();
  await write(text);
}

function tooLargeForYaml(): AuthorizerError {
  return new AuthorizerError(
    "invalid_request",
    "the data set is over 5 MiB as YAML, which is not read back: export JSON",
  );
}
