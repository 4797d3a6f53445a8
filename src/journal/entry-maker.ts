/** The making of the next entry (spec/journal §2.3): its head, what it writes, and its parts where it needs some. */

import {
  type EncodedBody,
  type EntryHead,
  encodeBody,
  encodeItem,
  HEAD_BYTES,
  laterTime,
  newId,
} from "../store/log-entry.ts";
import type { EntryWrites } from "../store/port.ts";
import { PART_LIFE } from "./checkpoints.ts";
import type { Engine } from "./engine.ts";
import { writeParts } from "./entry-parts.ts";
import { mergeWrites, type Waiting, type WrittenParts, weightOf } from "./groups.ts";
import type { LogNode } from "./node.ts";

/** Group weight relative to what an item can hold: texts grow when they are written as JSON in UTF-8. */
export const FILL = 0.5;

/** The parts that a maker is built from. */
export interface MakerParts {
  readonly engine: Engine;
  readonly node: LogNode;
  /** Unix milliseconds, for the time that entries carry. */
  readonly wallClock: () => number;
  /** Called with each failure of the engine. */
  readonly onTrouble: (error: unknown) => void;
  /** Rejects where no log may be begun. Absent: it may. */
  readonly assertMayBegin?: () => Promise<void>;
}

/** An entry that this node tries to create. */
export interface Made {
  readonly head: EntryHead;
  readonly item: Buffer;
  readonly writes: EntryWrites;
  /** The doubts of the node when its parts began to be written: they may have been lost since where there are more. */
  readonly doubts: number;
}

/** Makes entries that follow the newest one of a node. */
export class EntryMaker {
  readonly #parts: MakerParts;

  constructor(parts: MakerParts) {
    this.#parts = parts;
  }

  /** The next entry, with its parts written where it needs some. Rejects where it would be the first and no log may be begun. */
  async make(group: readonly Waiting[]): Promise<Made> {
    const { node, assertMayBegin } = this.#parts;
    if (node.revision === 0) await assertMayBegin?.();
    const writes = mergeWrites(group);
    const body = (group.length === 1 ? group[0]!.body : undefined) ?? (await encodeBody(writes));
    const turn = group.some((one) => one.turn);
    const raised = group.some((one) => one.raise === true) ? this.#parts.node.knownFormat : undefined;
    const parts = this.#fits(body) ? undefined : await this.#partsOf(group, body.bytes);
    return this.#entryOf(writes, body, parts?.doubts, {
      ...(turn && { turn }),
      ...(raised !== undefined && { format: raised }),
      ...(parts !== undefined && { parts: parts.of }),
    });
  }

  /**
   * Writes the parts of a commit that is larger than an item. That takes long and moves nothing, so that the node follows
   * the log meanwhile.
   */
  async prepare(one: Waiting): Promise<void> {
    if (one.body === undefined) {
      if (weightOf(one.commit) <= this.#parts.engine.budgets.entry * FILL) return;
      const body = await encodeBody(mergeWrites([one]));
      if (this.#fits(body)) return;
      one.body = body;
    }
    await this.#partsOf([one], one.body.bytes);
  }

  #fits({ bytes }: EncodedBody): boolean {
    return bytes.length + HEAD_BYTES <= this.#parts.engine.budgets.entry;
  }

  #entryOf(
    writes: EntryWrites,
    body: EncodedBody,
    doubts: number | undefined,
    more: Partial<Pick<EntryHead, "turn" | "parts" | "format">>,
  ): Made {
    const { node, wallClock } = this.#parts;
    const clock = new Date(wallClock()).toISOString();
    const head: EntryHead = {
      revision: node.revision + 1,
      id: newId(),
      prev: node.lastId,
      format: node.format,
      at: laterTime(clock, node.lastAt),
      node: node.id,
      digest: body.digest,
      ...more,
    };
    const item = encodeItem(head, more.parts === undefined ? body.bytes : undefined);
    return { head, item, writes, doubts: doubts ?? node.doubts };
  }

  /** Parts of a group that is one commit are used again after a lost race, while they may be named. */
  async #partsOf(group: readonly Waiting[], body: Buffer): Promise<WrittenParts> {
    const { engine, node } = this.#parts;
    const known = group.length === 1 ? group[0]!.parts : undefined;
    const { doubts } = node;
    const isThere = known?.doubts === doubts && known.of.base > node.revision + 1 - PART_LIFE;
    if (known !== undefined && isThere) return known;
    try {
      const parts = { of: await writeParts(engine, body, node.revision), doubts };
      if (group.length === 1) group[0]!.parts = parts;
      return parts;
    } catch (error) {
      this.#parts.onTrouble(error);
      throw error;
    }
  }

  /** An entry that writes nothing. */
  async empty(): Promise<Made> {
    const writes: EntryWrites = { put: [], delete: [] };
    return this.#entryOf(writes, await encodeBody(writes), undefined, {});
  }
}
