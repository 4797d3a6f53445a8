/** Checks the chains of a decision log (spec/decision-log §2.6). */

import { access } from "node:fs/promises";
import { join } from "node:path";
import {
  chainsIn,
  type SegmentFile,
  segmentName,
  segmentsOf,
} from "@svc-authorizer/policy/records/chain-files.ts";
import { lineDigest, NO_DIGEST, sealOf } from "@svc-authorizer/policy/records/digests.ts";
import {
  hasSoundTrailer,
  type SegmentLine,
  segmentLines,
} from "@svc-authorizer/policy/records/read-lines.ts";
import type { LoggedSeal } from "@svc-authorizer/policy/records/record.ts";
import { type CheckedLine, checkLine, type LineFault } from "./chain-line.ts";
import { type ChainState, readState, STATE_FILE } from "./chain-state.ts";
import { readSeal } from "./read-seal.ts";

/** Something that is not as it was written. */
export interface Finding {
  readonly file: string;
  /** 1-based, of the uncompressed lines. */
  readonly line: number;
  readonly message: string;
  /** True for the torn last line of the newest segment, which a crash leaves and the next start cuts. */
  readonly torn: boolean;
}

/** The numbers of things that were checked. */
interface VerifiedCounts {
  chains: number;
  segments: number;
  /** Lines that are as they were written. */
  lines: number;
  seals: number;
}

/** Says what is wrong with a line. */
const FAULTS: Readonly<Record<LineFault, string>> = {
  form: "this is no line of a decision log",
  checksum: "the line was changed",
};

/** Checks all chains below a directory. */
export class Verification {
  readonly counts: VerifiedCounts = { chains: 0, segments: 0, lines: 0, seals: 0 };
  readonly #sealKeys: readonly Buffer[];

  /** @param sealKeys those with one of which each seal has to be made; with none, seals are not checked */
  constructor(sealKeys: readonly Buffer[]) {
    this.#sealKeys = sealKeys;
  }

  /** Yields what is wrong, chain by chain. Rejects with the error of the file system. */
  async *directory(directory: string): AsyncGenerator<Finding> {
    await access(directory);
    for (const chain of await chainsIn(directory)) yield* this.#chain(join(directory, chain), chain);
  }

  async *#chain(folder: string, name: string): AsyncGenerator<Finding> {
    this.counts.chains++;
    const read = await readState(folder, this.#sealKeys);
    if (read?.fault !== undefined) yield damage(join(folder, STATE_FILE), 1, read.fault);
    const state = read?.state;
    const found = (await segmentsOf(folder)).filter(({ number }) => number >= (state?.first ?? 1));
    const segments = new Map(found.map((segment) => [segment.number, segment]));
    const newest = found.at(-1)?.number ?? 0;
    let digest: string | undefined = state?.before ?? (read === undefined ? NO_DIGEST : undefined);
    for (
      let number = firstOf(state, found, read !== undefined);
      number <= Math.max(newest, state?.newest ?? 0);
      number++
    ) {
      const segment = segments.get(number);
      if (segment === undefined) {
        yield damage(join(folder, segmentName(number)), 1, "the segment is missing");
        digest = undefined;
        continue;
      }
      const check = new SegmentCheck(
        { segment, chain: name, digest, isNewest: number === newest },
        this.#sealKeys,
      );
      yield* check.run();
      digest = check.digest;
      this.counts.segments++;
      this.counts.lines += check.sound;
      if (check.sealed) this.counts.seals++;
    }
  }
}

/** Number of the first segment that has to be there. */
function firstOf(state: ChainState | undefined, found: readonly SegmentFile[], hasState: boolean): number {
  if (state !== undefined) return state.first;
  // Where the state cannot be read, nobody knows what retention removed.
  return hasState ? (found[0]?.number ?? 1) : 1;
}

interface CheckedSegment {
  readonly segment: SegmentFile;
  readonly chain: string;
  /** Digest of the line before the segment; undefined if it is not known. */
  readonly digest: string | undefined;
  readonly isNewest: boolean;
}

/** Checks one segment. */
class SegmentCheck {
  /** Digest of the last line; undefined if the next line cannot be compared with it. */
  digest: string | undefined;
  /** Number of sound lines. */
  sound = 0;
  sealed = false;
  readonly #of: CheckedSegment;
  readonly #sealKeys: readonly Buffer[];
  #lines = 0;
  #findings = 0;

  constructor(of: CheckedSegment, sealKeys: readonly Buffer[]) {
    this.#of = of;
    this.digest = of.digest;
    this.#sealKeys = sealKeys;
  }

  async *run(): AsyncGenerator<Finding> {
    const { segment, isNewest } = this.#of;
    const intact = !segment.compressed || (await hasSoundTrailer(segment.path));
    try {
      for await (const line of segmentLines(segment)) {
        const finding = this.#line(line);
        if (finding === undefined) continue;
        this.#findings++;
        yield finding;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
      this.#findings++;
      this.digest = undefined;
      yield this.#damage(this.#lines + 1, "the rest cannot be decompressed");
      return;
    }
    if (!isNewest && !this.sealed && this.#findings === 0) {
      this.digest = undefined;
      this.#findings++;
      yield this.#damage(Math.max(1, this.#lines), "the seal that ends the segment is missing");
    }
    if (!intact && this.#findings === 0) yield this.#damage(1, "the compressed file was changed");
  }

  #line({ line, number, complete }: SegmentLine): Finding | undefined {
    this.#lines = number;
    if (this.sealed) return this.#damage(number, "a line after the seal of the segment");
    const checked = checkLine(line);
    if (!complete) return this.#unfinished(number, line, checked);
    const expected = this.digest;
    this.digest = checked.fault === undefined ? lineDigest(line) : undefined;
    if (checked.fault !== undefined) return this.#damage(number, FAULTS[checked.fault]);
    if (expected !== undefined && checked.prev !== expected) {
      return this.#damage(number, "the line before this one was changed, removed or moved");
    }
    const seal = readSeal(line);
    const fault = seal === undefined ? undefined : this.#seal(seal, line, number);
    if (fault !== undefined) return this.#damage(number, fault);
    this.sound++;
    return undefined;
  }

  #unfinished(number: number, line: Buffer, { fault }: CheckedLine): Finding {
    const { isNewest, segment } = this.#of;
    // A line that is longer than its own ending was not torn: something was added.
    const torn = isNewest && !segment.compressed && (fault === undefined || !hasEnding(line));
    if (torn) return { ...this.#damage(number, "the last line is torn; the next start cuts it"), torn };
    return this.#damage(number, "the line is not complete");
  }

  #seal(seal: LoggedSeal["seal"], line: Buffer, number: number): string | undefined {
    this.sealed = true;
    const { chain, segment } = this.#of;
    const { prev } = checkLine(line);
    const own = seal.chain === chain && seal.segment === segment.number && seal.lines === number - 1;
    if (!own || seal.digest !== prev) return "the seal is of another segment";
    const keys = this.#sealKeys;
    if (keys.length > 0 && !keys.some((key) => seal.hmac === sealOf(seal, key))) {
      return "the seal was not made with auth.encrypt.secret_key";
    }
    return undefined;
  }

  #damage(line: number, message: string): Finding {
    return damage(this.#of.segment.path, line, message);
  }
}

/** True if a whole line is part of the bytes. */
function hasEnding(line: Buffer): boolean {
  return /,"prev":"[0-9a-f]{64}","crc":"[0-9a-f]{8}"\}./s.test(line.toString("latin1"));
}

function damage(file: string, line: number, message: string): Finding {
  return { file, line, message, torn: false };
}
