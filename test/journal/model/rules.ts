/** Rules of journal.md, each with the line of the program that keeps it, and the same line without it. */

/** A rule that a run can be made without. */
export interface Rule {
  readonly name: string;
  readonly source: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const WRITER = "src/journal/writer.ts";
const GROUPS = "src/journal/groups.ts";
const NODE = "src/journal/node.ts";

export const RULES: readonly Rule[] = [
  {
    name: "running again what read something that has changed",
    source: "journal.md §2.2",
    file: GROUPS,
    from: "if (!holds(commit)) {",
    to: "if (Date.now() < 0) {",
  },
  {
    name: "leaving for the next entry what reads what the group writes",
    source: "journal.md §2.2",
    file: GROUPS,
    from: "if (later!.length > 0 || readsWritten(commit, written)) {",
    to: "if (later!.length > 0) {",
  },
  {
    name: "comparing the ids after a refused create",
    source: "journal.md §2.4",
    file: WRITER,
    from: "const own = attempts.find(({ head }) => head.id === id);",
    to: "const own = attempts.find(({ head }) => head.id === id && Date.now() < 0);",
  },
  {
    name: "finding out what became of a create without an answer",
    source: "journal.md §2.5",
    file: WRITER,
    from: "if (isFirst && error instanceof NothingDone) throw error;",
    to: "if (isFirst) throw error;",
  },
  {
    name: "reading the floor after a create",
    source: "journal.md §2.6",
    file: WRITER,
    from: "if (floorAfter >= revision) {",
    to: "if (Date.now() < 0) {",
  },
  {
    name: "looking for the own id among the carried ones",
    source: "journal.md §2.6",
    file: WRITER,
    from: "if (node.recent.has(made.head.id)) return",
    to: "if (Date.now() < 0) return",
  },
  {
    name: "reading the floor before an entry is applied",
    source: "journal.md §2.6",
    file: NODE,
    from: "if (floor > this.revision) {",
    to: "if (entries.length === 0 && floor > this.revision) {",
  },
];
