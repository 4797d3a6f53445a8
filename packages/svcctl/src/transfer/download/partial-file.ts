/** A file that is being downloaded, with a list of the parts that are there, so that another run can go on. */

import { appendFile, type FileHandle, open, readFile, rm, writeFile } from "node:fs/promises";

/** The content that the parts belong to: those of another one are of no use. */
interface PartialKey {
  readonly size: number;
  readonly checksum: string;
  readonly partSize: number;
}

/** The file under way. */
export interface PartialFile {
  /** Path of the content. */
  readonly content: string;
  /** Descriptor of the content, open until the file is finished or left. */
  readonly fd: number;
  /** True where an earlier run left parts. */
  readonly isContinued: boolean;
  has(part: number): boolean;
  /** Notes that a part is there whole. */
  add(part: number): void;
  /** Begins anew. */
  restart(): Promise<void>;
  /** Forgets the list; the content stays. */
  finish(): Promise<void>;
  /** Takes away what is of no use to a further run. Returns the path of what stays. */
  leave(): Promise<string | undefined>;
}

/** Time after which parts are on the list, in milliseconds: a content that is there sooner needs none. */
const LISTED_AFTER_MS = 500;

/** Opens the partial file that belongs to a file. */
export async function openPartialFile(file: string, key: PartialKey): Promise<PartialFile> {
  const content = `${file}.svcctl-part`;
  const list = new PartList(`${file}.svcctl-parts`, key);
  const left = await list.continued(content);
  const begin = async (): Promise<FileHandle> => {
    await list.forget();
    return open(content, "w");
  };
  let handle = left ?? (await begin());
  return {
    content,
    get fd() {
      return handle.fd;
    },
    isContinued: left !== undefined,
    has: (part) => list.parts.has(part),
    add: (part) => list.add(part),
    restart: async () => {
      await handle.close();
      handle = await begin();
    },
    finish: async () => {
      await handle.close();
      await list.forget();
    },
    leave: async () => {
      await handle.close();
      // Parts that no list names are of no use.
      const listed = list.parts.size > 0 && (await list.isWritten());
      if (listed) return content;
      await rm(content, { force: true });
      await list.forget();
      return undefined;
    },
  };
}

/** The list of parts, in memory and, a little later, in its file. */
class PartList {
  readonly parts = new Set<number>();
  readonly #path: string;
  readonly #header: string;
  #isThere = false;
  #unwritten: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, key: PartialKey) {
    this.#path = path;
    this.#header = JSON.stringify(key);
  }

  /** Reads the list of an earlier run, and opens its content; undefined where there is nothing of use. */
  async continued(content: string): Promise<FileHandle | undefined> {
    const text = await readFile(this.#path, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    this.#isThere = true;
    // The last line may be cut off: only lines with an end count.
    const [first, ...lines] = text.split("\n");
    const parts = first === this.#header ? lines.slice(0, -1).map(Number).filter(Number.isInteger) : [];
    const handle = parts.length > 0 ? await open(content, "r+").catch(() => undefined) : undefined;
    if (handle !== undefined) for (const part of parts) this.parts.add(part);
    return handle;
  }

  add(part: number): void {
    this.parts.add(part);
    this.#unwritten.push(part);
    // A file that cannot be written shows when the list is left.
    this.#timer ??= setTimeout(() => void this.write().catch(() => {}), LISTED_AFTER_MS);
  }

  /** Writes what the file lacks. */
  write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#append());
    return this.#writing;
  }

  /** Writes what the file lacks; false where that fails. */
  isWritten(): Promise<boolean> {
    return this.write().then(
      () => true,
      () => false,
    );
  }

  /** Forgets all parts, and removes the file. */
  async forget(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing.catch(() => {});
    this.parts.clear();
    this.#unwritten = [];
    if (this.#isThere) await rm(this.#path, { force: true });
    this.#isThere = false;
  }

  async #append(): Promise<void> {
    const lines = this.#unwritten.map((part) => `${part}\n`).join("");
    this.#unwritten = [];
    if (this.#isThere) return appendFile(this.#path, lines);
    this.#isThere = true;
    await writeFile(this.#path, `${this.#header}\n${lines}`);
  }
}
