/** Work on closed segments, one after the other and beside the writing: compression, state, retention. */

import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { SegmentFile } from "@svc-authorizer/policy/records/chain-files.ts";
import type { ChainSettings } from "../settings.ts";
import { type ChainState, writeState } from "./chain-state.ts";
import { compressSegment } from "./compress.ts";
import { removeOld } from "./retention.ts";

/** The parts. */
interface ClosedSegmentsOptions {
  readonly folder: string;
  readonly settings: ChainSettings;
  readonly sealKey: Buffer | undefined;
  readonly state: ChainState;
  /** False if the state is still to be written. */
  readonly isStateWritten: boolean;
  /** Number of the open segment. */
  readonly open: () => number;
  /** Number of the first segment that a sink still needs. */
  readonly needed: () => number;
  readonly report: (problem: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly now: () => number;
}

/** Works on closed segments. */
export class ClosedSegments {
  readonly #options: ClosedSegmentsOptions;
  #state: ChainState;
  #isStateWritten: boolean;
  #uncompressed: readonly SegmentFile[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(options: ClosedSegmentsOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#isStateWritten = options.isStateWritten;
  }

  /** Compresses segments, and removes those that need not be kept. */
  add(segments: readonly SegmentFile[]): void {
    if (this.#options.settings.compress) this.#uncompressed = [...this.#uncompressed, ...segments];
    this.tidy();
  }

  /** Notes the number of the new segment. */
  rotated(newest: number): void {
    this.#run(async () => {
      this.#state = { ...this.#state, newest };
      this.#isStateWritten = false;
    });
    this.#writeState();
  }

  #writeState(): void {
    this.#run(async () => {
      if (this.#isStateWritten) return;
      await writeState(this.#options.folder, this.#state, this.#options.sealKey);
      this.#isStateWritten = true;
    });
  }

  /** Does what is due, also what failed before. */
  tidy(): void {
    this.#writeState();
    this.#run(async () => {
      for (const segment of this.#uncompressed) {
        await compressSegment(segment);
        this.#uncompressed = this.#uncompressed.filter((one) => one !== segment);
      }
    });
    this.#run(async () => {
      const { settings, now } = this.#options;
      this.#state = await removeOld({ ...settings, ...this.#options }, this.#state, now());
    });
  }

  /** Resolves when all that was begun is done. */
  done(): Promise<void> {
    return this.#work;
  }

  /** A failure is reported; the work is tried again with the next segment, and when it is time to tidy. */
  #run(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      const reason = messageOf(error);
      this.#options.report("closed segments of the decision log cannot be tidied", {
        folder: this.#options.folder,
        reason,
      });
    });
  }
}
