/**
 * The state of a chain in `chain.json`: its first and its newest segment. Without it, nobody could tell segments that
 * retention removed from segments that were lost.
 */

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hmac, NO_DIGEST } from "@svc-authorizer/policy/records/digests.ts";
import { checksumText } from "./chain-line.ts";

/** Name of the file. */
export const STATE_FILE = "chain.json";

const MODE = 0o600;

/** The state of a chain. */
export interface ChainState {
  /** Number of the first segment that is kept. */
  readonly first: number;
  /** Digest of the last line before the first segment. */
  readonly before: string;
  /** Number of the newest segment. */
  readonly newest: number;
}

/** The state of a chain that has nothing yet. */
export const NEW_CHAIN: ChainState = { first: 1, before: NO_DIGEST, newest: 1 };

/** Writes the state, whole or not at all. */
export async function writeState(folder: string, state: ChainState, key: Buffer | undefined): Promise<void> {
  const file = join(folder, STATE_FILE);
  await writeFile(`${file}.new`, stateText(folder, state, key), { mode: MODE, flush: true });
  await rename(`${file}.new`, file);
}

function stateText(folder: string, { first, before, newest }: ChainState, key: Buffer | undefined): string {
  const text = `{"format":1,"first":${first},"before":"${before}","newest":${newest}`;
  const signed = key === undefined ? text : `${text},"hmac":"${hmac(key, nameOf(folder) + text)}"`;
  return `${signed},"crc":"${checksumText(Buffer.from(signed))}"}\n`;
}

function nameOf(folder: string): string {
  return folder.split(/[\\/]/).at(-1) ?? "";
}

const FORM =
  /^(\{"format":1,"first":(\d{1,10}),"before":"([0-9a-f]{64})","newest":(\d{1,10}))(?:,"hmac":"([0-9a-f]{64})")?,"crc":"([0-9a-f]{8})"\}\n$/;

/** The state as it was read: with what is wrong with it. */
type ReadState =
  | { readonly state: ChainState; readonly fault?: undefined }
  | { readonly state?: undefined; readonly fault: string };

/**
 * Reads the state; undefined if there is none.
 * @param keys those with one of which it has to be signed; with none the signature is not checked
 */
export async function readState(
  folder: string,
  keys: readonly Buffer[] = [],
): Promise<ReadState | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, STATE_FILE), "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const match = FORM.exec(text);
  if (match === null) return { fault: "not the state of a chain" };
  const [, signed = "", first, before = "", newest, mac, checksum] = match;
  const checked = mac === undefined ? signed : `${signed},"hmac":"${mac}"`;
  if (checksumText(Buffer.from(checked)) !== checksum) return { fault: "the checksum does not match" };
  if (keys.length > 0 && !keys.some((key) => mac === hmac(key, nameOf(folder) + signed))) {
    return { fault: "the signature does not match" };
  }
  return { state: { first: Number(first), before, newest: Number(newest) } };
}
