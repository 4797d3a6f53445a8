/** Data that the source lost, too: its retention rules delete, and a mirror has to follow without it (spec/mirroring §4). */

import { createHash } from "node:crypto";

/**
 * Most tables that are remembered between two looks; what is missing beyond that waits until others have passed. They are
 * kept in one record, which every store has to take.
 */
export const MOST_GONE = 1_000;
/** Bytes of a digest that tells two sets of objects apart. */
const DIGEST_BYTES = 16;

/**
 * A table of a commit, the Unix milliseconds of the first look that found what it lacks gone at the source, too, the digest of
 * that, and the number of things: 0 where other things are missing, which may come at any time.
 */
export type GoneLook = readonly [thing: string, firstMs: number, digest: string, count: number];

/** Options of {@link GoneAtSource}. */
interface GoneOptions {
  /** Time between the two looks, in milliseconds. */
  readonly apartMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The objects of a range that are gone at the source, in any order and of any number. */
export class LostObjects {
  readonly #sum = Buffer.alloc(DIGEST_BYTES);
  count = 0;

  add(path: Buffer): void {
    this.count += 1;
    const digest = createHash("sha256").update(path).digest();
    for (let at = 0; at < DIGEST_BYTES; at += 1) this.#sum[at] = (this.#sum[at] ?? 0) ^ (digest[at] ?? 0);
  }

  /** Tells which they are. */
  get digest(): string {
    return this.#sum.toString("hex");
  }
}

/** Says what is gone at the source: on two looks that are far enough apart, both with the same clear answers. */
export class GoneAtSource {
  readonly #first: Map<string, GoneLook>;
  readonly #options: GoneOptions;

  constructor(looks: readonly GoneLook[], options: GoneOptions) {
    this.#first = new Map(looks.map((look) => [look[0], look]));
    this.#options = options;
  }

  /** The first looks that a second one may still confirm. */
  get looks(): readonly GoneLook[] {
    return [...this.#first.values()];
  }

  /** The number of things of a table that wait for their second look alone; 0 where it is to be looked at now. */
  waiting(thing: string): number {
    const look = this.#first.get(thing);
    if (look === undefined) return 0;
    return this.#isDue(look) || this.#isOfFuture(look) ? 0 : look[3];
  }

  /** Unix milliseconds of the second look. */
  dueAt(thing: string): number {
    return (this.#first.get(thing)?.[1] ?? this.#options.now()) + this.#options.apartMs;
  }

  /**
   * Notes a look at a table in which things are gone at the source.
   * @param digest tells which things: others than on the first look are looked at anew
   * @param isAll true where nothing else is missing
   * @returns `gone` for good, `waits` for the second look, `full` where no look more can be remembered
   */
  note(thing: string, digest: string, count: number, isAll: boolean): "gone" | "waits" | "full" {
    const look = this.#first.get(thing);
    const isSame = look?.[2] === digest && !this.#isOfFuture(look);
    if (isSame && this.#isDue(look)) return "gone";
    if (look === undefined && this.#first.size >= MOST_GONE) return "full";
    const firstMs = isSame ? look[1] : this.#options.now();
    this.#first.set(thing, [thing, firstMs, digest, isAll ? count : 0]);
    return "waits";
  }

  forget(thing: string): void {
    this.#first.delete(thing);
  }

  /** Forgets what nobody waits for. */
  keepOnly(isWaitedFor: (thing: string) => boolean): void {
    for (const thing of this.#first.keys()) if (!isWaitedFor(thing)) this.#first.delete(thing);
  }

  /** True where the clock was set back since: nobody knows how long ago the first look was, so this one is the first. */
  #isOfFuture([, firstMs]: GoneLook): boolean {
    return firstMs > this.#options.now();
  }

  #isDue([, firstMs]: GoneLook): boolean {
    return this.#options.now() - firstMs >= this.#options.apartMs;
  }
}
