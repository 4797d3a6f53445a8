/** The place up to which a sink has a chain, kept beside the chain. */

import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";

/** A place between two lines. */
export interface SinkPlace {
  readonly segment: number;
  /** Bytes of the lines before it in its segment, uncompressed. */
  readonly offset: number;
}

const MODE = 0o600;
const NAME_DIGITS = 12;

/** Keeps the place of one sink. */
export class SinkPlaceFile {
  readonly #path: string;

  /** @param url of the sink */
  constructor(folder: string, url: string) {
    const name = createHash("sha256").update(url).digest("hex").slice(0, NAME_DIGITS);
    this.#path = join(folder, `sink-${name}.json`);
  }

  /** Reads the place; undefined for a new sink. */
  async read(): Promise<SinkPlace | undefined> {
    try {
      const { segment, offset } = parseJsonText(await readFile(this.#path, "utf8")) as SinkPlace;
      return Number.isSafeInteger(segment) && Number.isSafeInteger(offset) ? { segment, offset } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes the place, whole or not at all. */
  async write({ segment, offset }: SinkPlace): Promise<void> {
    await writeFile(`${this.#path}.new`, JSON.stringify({ segment, offset }), { mode: MODE });
    await rename(`${this.#path}.new`, this.#path);
  }
}
