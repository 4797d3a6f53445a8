/** The items of a list as JSON, written in turns with other work (spec/security §5.3). */

import { Turns } from "../../schedule/turns.ts";

/** Characters after which a page ends: of policies, 40 of the largest. */
const MOST_OF_A_PAGE = 4 * 1_024 * 1_024;

/** Texts of items. */
export class TextsInTurns {
  readonly #turns = new Turns();
  readonly #texts: string[] = [];
  #length = 0;

  /** The texts so far. */
  get all(): readonly string[] {
    return this.#texts;
  }

  get count(): number {
    return this.#texts.length;
  }

  /** True for so much text that a page ends. */
  get isFullPage(): boolean {
    return this.#length >= MOST_OF_A_PAGE;
  }

  /** Adds an item. */
  async add(item: unknown): Promise<void> {
    const text = JSON.stringify(item);
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#turns.spent) await this.#turns.yield();
  }
}
