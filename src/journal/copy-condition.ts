/** The condition of a node's copy: whether its log still is the one in the database (spec/journal §3). */

import type { CopyKind, WentBack } from "../store/copy-state.ts";
import { NothingDone } from "./engine.ts";

/** Thrown where the log is not the one that a copy came from, and no command said that it shall take its place. */
export class LogMissing extends NothingDone {
  readonly kind: Exclude<CopyKind, "whole" | "rebuilding">;
  /** Id of the other log. */
  readonly otherLog: string | undefined;

  constructor(kind: LogMissing["kind"], message: string, otherLog?: string) {
    super(message);
    this.name = "LogMissing";
    this.kind = kind;
    this.otherLog = otherLog;
  }
}

/** The kind of a copy, and since when. */
export class CopyCondition {
  readonly #now: () => number;
  readonly #onChange: () => void;
  kind: CopyKind = "whole";
  /** Unix milliseconds. */
  since: number;
  /** Id of the other log, with `other_log`. */
  otherLog: string | undefined;
  wentBack: WentBack | undefined;

  /** @param now Unix milliseconds */
  constructor(now: () => number, onChange: () => void = () => {}) {
    this.#now = now;
    this.#onChange = onChange;
    this.since = now();
  }

  /** Notes what was found out. */
  is(kind: CopyKind, otherLog?: string): void {
    if (this.kind === kind && this.otherLog === otherLog) return;
    if (this.kind !== kind) this.since = this.#now();
    this.kind = kind;
    this.otherLog = otherLog;
    this.#onChange();
  }

  /** Notes that the log went back. */
  went(back: WentBack): void {
    this.wentBack = back;
    this.#onChange();
  }
}
