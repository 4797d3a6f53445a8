/** Checks the progress of one mirror: a log of what was recorded and found complete, and the state that leans on it. */

import type { BranchState, SeenHead } from "../progress/branch-heads.ts";
import type { MirrorState } from "../progress/progress.ts";
import { LOG_LINE, MIRROR_STATE } from "./mirror-shapes.ts";

/** Something that is wrong, as `check-store` tells it. */
export interface Finding {
  readonly kind: "orphan" | "mismatch" | "duplicate" | "unreadable" | "damaged" | "unknown_member";
  readonly partition: string;
  readonly key: string;
  readonly message: string;
}

const PARTITION = "mirror_progress";
/** Findings of one mirror that are told; of the others the number is. */
const MOST = 100;

/** The check of one mirror's progress: first its pieces in their order, then its state, then {@link end}. */
export class ProgressCheck {
  readonly uid: string;
  readonly findings: Finding[] = [];
  /** Recorded commits that are not complete, with their parents. */
  readonly #pending = new Map<string, readonly string[]>();
  readonly #complete = new Set<string>();
  #pieces = 0;
  #hasState = false;
  #branches = 0;
  #more = 0;
  /** True where a part of the log cannot be read: what follows from it would be named again and again. */
  #hasGaps = false;

  constructor(uid: string) {
    this.uid = uid;
  }

  /** Counts for whoever wants to know what was read. */
  get counts() {
    const complete = this.#complete.size;
    return {
      branches: this.#branches,
      recorded: this.#pending.size + complete,
      complete,
      has_state: this.#hasState,
    };
  }

  add(kind: Finding["kind"], key: string, message: string): void {
    if (this.findings.length >= MOST) this.#more += 1;
    else this.findings.push({ kind, partition: PARTITION, key, message });
  }

  noteDamaged(key: string, isState: boolean): void {
    this.add("damaged", key, "its bytes are not those that were written: restore a backup");
    if (isState) this.#hasState = true;
    else this.#skipped();
  }

  #skipped(): void {
    this.#pieces += 1;
    this.#hasGaps = true;
  }

  /** @param lines the record; undefined: it is no JSON */
  piece(key: string, number: number, lines: unknown): void {
    if (number !== this.#pieces) {
      this.add("mismatch", key, `piece ${this.#pieces} of the log is missing before it`);
      this.#hasGaps = true;
      this.#pieces = number;
    }
    if (!Array.isArray(lines) || lines.length === 0) {
      this.add("unreadable", key, "it is no list of lines");
      this.#skipped();
      return;
    }
    this.#pieces += 1;
    for (const [index, line] of lines.entries()) {
      const wrong = LOG_LINE(line);
      if (wrong === undefined) this.#line(key, index, line as string | readonly [string, string, number]);
      else {
        this.add("unreadable", key, `line ${index} ${wrong.message}`);
        this.#hasGaps = true;
      }
    }
  }

  #line(key: string, index: number, line: string | readonly [string, string, number, ...string[]]): void {
    const tell = (kind: Finding["kind"], message: string): void =>
      this.add(kind, key, `line ${index}: ${message}`);
    if (typeof line !== "string") {
      const [id, , , ...parents] = line;
      if (this.#isKnown(id)) tell("duplicate", `the commit ${id} was recorded before`);
      const unknown = parents.find((parent) => !this.#isKnown(parent));
      if (unknown !== undefined && !this.#hasGaps)
        tell("mismatch", `the commit ${id} was recorded before its parent ${unknown}`);
      if (!this.#complete.has(id)) this.#pending.set(id, parents);
      return;
    }
    const parents = this.#pending.get(line);
    if (this.#complete.has(line)) tell("duplicate", `the commit ${line} was complete before`);
    else if (parents === undefined && !this.#hasGaps)
      tell("mismatch", `the commit ${line} is complete, and was never recorded`);
    const open = parents?.find((parent) => !this.#complete.has(parent));
    if (open !== undefined && !this.#hasGaps)
      tell("mismatch", `the commit ${line} is complete, and its parent ${open} is not`);
    this.#pending.delete(line);
    this.#complete.add(line);
  }

  #isKnown(commit: string): boolean {
    return this.#complete.has(commit) || this.#pending.has(commit);
  }

  /** @param value the record; undefined: it is no JSON */
  state(key: string, value: unknown): void {
    this.#hasState = true;
    const wrong = value === undefined ? { at: "", message: "is no JSON" } : MIRROR_STATE(value);
    if (wrong !== undefined) {
      const what = wrong.at === "" ? `it ${wrong.message}` : `its ${wrong.at} ${wrong.message}`;
      this.add("isUnknownMember" in wrong ? "unknown_member" : "unreadable", key, what);
      if (!("isUnknownMember" in wrong)) return;
    }
    const state = value as MirrorState;
    if (state.pieces !== this.#pieces)
      this.add("mismatch", key, `it counts ${state.pieces} pieces of the log, and there are ${this.#pieces}`);
    for (const [name, branch] of Object.entries(state.branches)) this.#branch(key, name, branch);
    if (this.#hasGaps) return;
    const looked = [
      ...Object.keys(state.verified).map((commit) => ["verified", commit] as const),
      ...state.gone.map(([thing]) => ["gone", thing.slice(0, thing.indexOf("/"))] as const),
    ];
    for (const [what, commit] of looked) {
      if (!this.#isKnown(commit))
        this.add("mismatch", key, `its ${what} has the commit ${commit}, which was never recorded`);
    }
  }

  #branch(key: string, name: string, { next, heads, position, intent }: BranchState): void {
    this.#branches += 1;
    const tell = (message: string): void =>
      this.add("mismatch", key, `its branch ${JSON.stringify(name)}: ${message}`);
    let last = position?.index ?? -1;
    for (const { index } of heads) {
      if (index <= last) tell(`the head ${index} is not behind ${last}`);
      last = Math.max(last, index);
    }
    if (Math.max(last, intent?.index ?? -1) >= next) tell(`a head is not before the next one, ${next}`);
    this.#place(tell, "shows", position);
    this.#place(tell, "is to show", intent);
  }

  /** A commit that a branch of the mirror shows has to be whole. */
  #place(tell: (message: string) => void, what: string, head: SeenHead | undefined): void {
    if (head === undefined || head.isForeign === true || this.#complete.has(head.commit)) return;
    if (!this.#hasGaps) tell(`it ${what} the commit ${head.commit}, which is not complete`);
  }

  /** To be called behind the last record. */
  end(): void {
    if (!this.#hasState && this.#pieces > 0)
      this.add(
        "mismatch",
        `${this.uid}/state`,
        "there is a log, and no state: the mirror would begin anew over it",
      );
    if (this.#more === 0) return;
    const message = `${this.#more} more were found of this mirror`;
    this.findings.push({ kind: "mismatch", partition: PARTITION, key: this.uid, message });
  }
}
