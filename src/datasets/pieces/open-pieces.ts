/** Opens data set files to be read in pieces: JSON, lines of JSON, and small YAML as a whole. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { JsonPieces } from "./json-pieces.ts";
import { NdjsonPieces } from "./ndjson-pieces.ts";
import type { PieceSize, PieceSource } from "./piece.ts";
import { ValuePieces } from "./value-pieces.ts";

/** Bytes at the beginning of a file that are looked at. */
const LOOKED_AT = 4_096;
/** JSON that is no object is no data set: only of a small file the first fault is told. */
const MAX_OTHER_JSON = 1024 * 1024;

/** Opens a file by its extension: `.json`, `.ndjson`, `.yaml` or `.yml`. Returns the problems of one that cannot be read. */
export async function openPieces(
  file: string,
  size: PieceSize,
): Promise<PieceSource | { readonly problems: readonly Problem[] }> {
  switch (extname(file).toLowerCase()) {
    case ".json":
      return openJson(file, size);
    case ".ndjson":
      return new NdjsonPieces(file, size);
    default:
      return openWhole(file, size);
  }
}

async function openJson(file: string, size: PieceSize): ReturnType<typeof openPieces> {
  const beginning = await beginningOf(file);
  if (beginning === undefined || /^\ufeff?\s*\{/.test(beginning.text)) return new JsonPieces(file, size);
  if (beginning.bytes <= MAX_OTHER_JSON) return openWhole(file, size);
  return { problems: [{ file, pointer: "", message: "must be object", line: 1, column: 1 }] };
}

async function openWhole(file: string, size: PieceSize): ReturnType<typeof openPieces> {
  const before = await fileDigest(file);
  const read = await readDocument(file, "data set");
  if ("problems" in read) return read;
  if (before !== undefined && before === (await fileDigest(file)))
    return new ValuePieces(read.source, size, before);
  return { problems: [{ file, pointer: "", message: "the file was changed while it was read" }] };
}

/** Digest of the bytes of a file; undefined where it cannot be read. */
export async function fileDigest(file: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  } catch {
    return undefined;
  }
  return hash.digest("base64url");
}

/** The beginning of a file and its size; undefined where it cannot be read, which its reader says. */
async function beginningOf(file: string) {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
      return { text: buffer.toString("utf8", 0, bytesRead), bytes: size };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
