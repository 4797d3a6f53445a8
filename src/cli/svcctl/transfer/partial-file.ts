/** A file that is being downloaded, with a list of the parts that are there, so that another run can go on. */

import { appendFile, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";

/** The content that the parts belong to: those of another one are of no use. */
export interface PartialKey {
  readonly size: number;
  readonly checksum: string;
  readonly partSize: number;
}

/** The file under way. */
export interface PartialFile {
  /** Path of the content. */
  readonly content: string;
  /** True where parts are kept. */
  readonly inParts: boolean;
  /** Number of parts that are there. */
  readonly count: number;
  has(part: number): boolean;
  /** Notes that a part is there whole. */
  add(part: number): Promise<void>;
  /** Begins anew. */
  restart(): Promise<void>;
  /** Forgets the list; the content stays. */
  finish(): Promise<void>;
  /** Takes away what is of no use to a further run. Returns the path of what stays. */
  leave(): Promise<string | undefined>;
}

/**
 * Opens the partial file that belongs to a file.
 * @param key undefined for a content that is downloaded in one piece
 */
export async function openPartialFile(file: string, key: PartialKey | undefined): Promise<PartialFile> {
  const content = `${file}.svcctl-part`;
  const list = `${file}.svcctl-parts`;
  const header = JSON.stringify(key);
  const parts = new Set(key === undefined ? [] : await partsOf(list, content, header));
  const begin = async (): Promise<void> => {
    // What comes in one piece is written in one go, which makes the file.
    if (key === undefined) return;
    parts.clear();
    await (await open(content, "w")).close();
    await truncate(content, key.size);
    await writeFile(list, `${header}\n`);
  };
  if (parts.size === 0) await begin();
  return {
    content,
    inParts: key !== undefined,
    get count() {
      return parts.size;
    },
    has: (part) => parts.has(part),
    add: async (part) => {
      parts.add(part);
      await appendFile(list, `${part}\n`);
    },
    restart: begin,
    finish: async () => {
      if (key !== undefined) await rm(list, { force: true });
    },
    leave: async () => {
      if (parts.size > 0) return content;
      await rm(content, { force: true });
      await rm(list, { force: true });
      return undefined;
    },
  };
}

async function partsOf(list: string, content: string, header: string): Promise<number[]> {
  try {
    await stat(content);
    const [first, ...lines] = (await readFile(list, "utf8")).split("\n");
    // The last line may be cut off: only lines with an end count.
    return first === header ? lines.slice(0, -1).map(Number).filter(Number.isInteger) : [];
  } catch {
    return [];
  }
}
