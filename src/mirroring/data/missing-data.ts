/** Data that the source lost, too: its retention rules delete, and a mirror has to follow without it (spec/mirroring §4). */

import type { Presence } from "../ports.ts";

/** Most things that are remembered between two looks; what is missing beyond that waits. */
const MOST = 10_000;

/** A thing and the Unix milliseconds of the first look that found it gone at the source, too. */
export type GoneLook = readonly [thing: string, firstMs: number];

/** Options of {@link GoneAtSource}. */
interface GoneOptions {
  /** Time between the two looks, in milliseconds. */
  readonly apartMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Says what is gone at the source: on two looks that are far enough apart, both with a clear answer. */
export class GoneAtSource {
  readonly #first: Map<string, number>;
  readonly #options: GoneOptions;

  constructor(looks: readonly GoneLook[], options: GoneOptions) {
    this.#first = new Map(looks);
    this.#options = options;
  }

  /** The first looks that a second one may still confirm. */
  get looks(): readonly GoneLook[] {
    return [...this.#first];
  }

  /**
   * Notes a look at the source for a thing that the mirror lacks; true where it is gone for good.
   * @param thing names the data, not the commit, so that commits share the looks
   */
  isGone(thing: string, atSource: Presence): boolean {
    if (atSource !== "gone") {
      this.#first.delete(thing);
      return false;
    }
    const first = this.#first.get(thing);
    if (first !== undefined) return this.#options.now() - first >= this.#options.apartMs;
    if (this.#first.size < MOST) this.#first.set(thing, this.#options.now());
    return false;
  }

  /** Forgets things that have come, and those that nobody waits for. */
  keepOnly(isWaitedFor: (thing: string) => boolean): void {
    for (const thing of this.#first.keys()) if (!isWaitedFor(thing)) this.#first.delete(thing);
  }
}
