/** MD5 checksums of files that grow: of several small ones together, of others one by one. */

import { closeSync, openSync, readSync } from "node:fs";
import { type Fingerprint, newFingerprint } from "./checksums.ts";
import type { HashAnswer, HashOrder } from "./hash-threads.ts";
import { HAS_LANES, LANE_BYTES, Md5Lanes, Md5State } from "./md5-lanes.ts";
import { BLOCK_BYTES, LANES } from "./md5-module.ts";

/** Files at once from which on they are computed together: for fewer, the library is as quick. */
const FEWEST = 4;

/** Bytes that are read at once of a file that is computed alone: they stay in the cache of a processor. */
const READ_BYTES = 256 * 1024;

/** Bytes of a file that is computed alone after which it is said how far it is. */
const TOLD_BYTES = 8 * 1024 * 1024;

/** The rest behind a turn: more at once, something that waits for other files, or nothing. */
type Work = "more" | "waits" | "none";

/** A file under way. */
interface Followed {
  readonly id: number;
  readonly file: number;
  readonly start: number;
  readonly together: boolean;
  /** Chosen when the first bytes are there: by then it is known how many files are under way. */
  hash: Md5State | Fingerprint | undefined;
  at: number;
  reached: number;
  isEnded: boolean;
  /** Ended, and has waited long enough for others. */
  isHurried: boolean;
}

/** The files of one thread. */
export class FileHashes {
  readonly #answer: (answer: HashAnswer) => void;
  readonly #onComputed: (id: number, position: number) => void;
  readonly #files = new Map<number, Followed>();
  #lanes: Md5Lanes | undefined;
  #block: Buffer | undefined;

  /**
   * @param answer is called once for each file that ends
   * @param onComputed is called now and then for a file that is computed alone: the bytes below the position are computed
   */
  constructor(
    answer: (answer: HashAnswer) => void,
    onComputed: (id: number, position: number) => void = () => {},
  ) {
    this.#answer = answer;
    this.#onComputed = onComputed;
  }

  /** Notes an order. */
  obey({ id, path, start = 0, together = false, reached, end }: HashOrder): void {
    this.#guarded(id, () => {
      if (path !== undefined) {
        const file = openSync(path, "r");
        const progress = { hash: undefined, at: start, reached: start, isEnded: false, isHurried: false };
        this.#files.set(id, { id, file, start, together, ...progress });
      }
      const followed = this.#files.get(id);
      if (followed === undefined) return;
      if (reached !== undefined) followed.reached = reached;
      if (end === "digest") followed.isEnded = true;
      if (end === "forget") this.#close(followed);
    });
  }

  /** Lets the files that have ended by now wait for others no longer. */
  hurry(): void {
    for (const followed of this.#files.values()) followed.isHurried = followed.isEnded;
  }

  /** Computes a part of what is there. */
  work(): Work {
    const ready = [...this.#files.values()].filter(({ at, reached, isEnded }) => isEnded || reached > at);
    for (const followed of ready) followed.hash ??= this.#hashFor(followed);
    const alone = ready.find(({ hash }) => !(hash instanceof Md5State));
    if (alone !== undefined) this.#guarded(alone.id, () => this.#follow(alone));
    const others = ready.filter(({ hash }) => hash instanceof Md5State);
    const work = this.#workTogether(others);
    return alone === undefined ? work : "more";
  }

  #hashFor({ together }: Followed): Md5State | Fingerprint {
    return HAS_LANES && together && this.#files.size >= FEWEST ? new Md5State() : newFingerprint();
  }

  #follow(followed: Followed): void {
    const { file, at, reached, isEnded } = followed;
    const fingerprint = followed.hash as Fingerprint;
    this.#block ??= Buffer.allocUnsafeSlow(READ_BYTES);
    const bytes = this.#block.subarray(0, Math.min(READ_BYTES, reached - at));
    readWhole(file, bytes, at);
    fingerprint.update(bytes);
    followed.at += bytes.length;
    const { id, at: computed } = followed;
    if (isEnded && computed === reached) this.#settle(followed, fingerprint.digest());
    else if (computed === reached || crosses(at, computed, TOLD_BYTES)) this.#onComputed(id, computed);
  }

  /** Files that grow wait for others; files that have ended do so until they are half of all, or hurried. */
  #workTogether(files: readonly Followed[]): Work {
    const ended = files.filter(({ isEnded }) => isEnded);
    const growing = files.filter((followed) => !followed.isEnded && wholeBlocks(followed) >= LANE_BYTES);
    if (ended.length + growing.length < LANES) {
      if (ended.length === 0) return "none";
      const isHurried = ended.some((followed) => followed.isHurried);
      if (!isHurried && ended.length * 2 < this.#files.size) return "waits";
    }
    const finished = ended.filter((followed) => wholeBlocks(followed) === 0);
    for (const followed of finished) this.#guarded(followed.id, () => this.#finish(followed));
    const unfinished = ended.filter((followed) => wholeBlocks(followed) > 0);
    const several = [...unfinished, ...growing].slice(0, LANES);
    if (several.length > 0) this.#followTogether(several);
    return "more";
  }

  #followTogether(several: readonly Followed[]): void {
    this.#lanes ??= new Md5Lanes();
    const lanes = this.#lanes;
    const bytes = Math.min(LANE_BYTES, ...several.map(wholeBlocks));
    const read = several.filter(({ id, file, at }, lane) =>
      this.#guarded(id, () => readWhole(file, lanes.memory(lane).subarray(0, bytes), at)),
    );
    // One that cannot be read is gone now; the others have their lanes the next time.
    if (read.length < several.length) return;
    lanes.take(
      several.map(({ hash }) => hash as Md5State),
      bytes,
    );
    for (const followed of several) followed.at += bytes;
  }

  #finish(followed: Followed): void {
    const { file, start, at, reached } = followed;
    this.#lanes ??= new Md5Lanes();
    const rest = Buffer.alloc(reached - at);
    readWhole(file, rest, at);
    this.#settle(followed, (followed.hash as Md5State).digest(this.#lanes, rest, reached - start));
  }

  #settle(followed: Followed, digest: string): void {
    this.#close(followed);
    this.#answer({ id: followed.id, digest });
  }

  #close({ id, file }: Followed): void {
    this.#files.delete(id);
    closeSync(file);
  }

  /** Returns false where it fails: the failure is the answer for the file. */
  #guarded(id: number, action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      const followed = this.#files.get(id);
      if (followed !== undefined) this.#close(followed);
      this.#answer({ id, error: (error as Error).message });
      return false;
    }
  }
}

/** Bytes of whole blocks that are there and not computed. */
function wholeBlocks({ at, reached }: Followed): number {
  return reached - at - ((reached - at) % BLOCK_BYTES);
}

/** True where a multiple of a size lies behind one position and not behind the other. */
function crosses(before: number, after: number, size: number): boolean {
  return Math.floor(before / size) < Math.floor(after / size);
}

function readWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let filled = 0; filled < bytes.length; ) {
    const read = readSync(file, bytes, filled, bytes.length - filled, position + filled);
    if (read === 0) throw new Error("the file became shorter while it was read");
    filled += read;
  }
}
