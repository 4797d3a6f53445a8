/** Rules of journal.md, each with the line of the program that keeps it, and the same line without it. */

import {
  type Edit,
  IN_SESSIONS,
  LARGE_AND_LOST,
  LOST_ALL_THE_TIME,
  LOST_AND_ASKED,
  LOST_WHOLE,
  RESTARTED_IN_SESSIONS,
  SHORT_PART_LIFE,
  TRIMMED_AND_ASKED,
  TRIMMED_AND_LOST,
  TRIMMED_OFTEN,
} from "./biases.ts";

/** A rule that a run can be made without. */
export interface Rule extends Edit {
  readonly name: string;
  readonly source: string;
  /** Seed and number of a run that failed without it when it was written down: a fault that is rare is looked for there first. */
  readonly found?: readonly [seed: number, run: number];
  /** Other lines that are replaced: they keep the rule, too, or hide it from short runs. */
  readonly also?: readonly Edit[];
}

const WRITER = "src/journal/writer.ts";
const MAKER = "src/journal/entry-maker.ts";
const GROUPS = "src/journal/groups.ts";
const NODE = "src/journal/node.ts";
const PLACE = "src/journal/place-in-log.ts";
const PROOF = "src/journal/proof.ts";
const LOOK = "src/journal/look.ts";
const ANSWER = "src/journal/proven-answer.ts";
const REBUILD = "src/journal/rebuild.ts";
const CHECKPOINTS = "src/journal/checkpoints.ts";
const ENGINE = "src/journal/engines/memory.ts";
const RECENT = "src/store/recent-writes.ts";

export const RULES: readonly Rule[] = [
  {
    name: "running again what read something that has changed",
    source: "spec/journal §2.2",
    file: GROUPS,
    from: "if (!holds(commit)) {",
    to: "if (Date.now() < 0) {",
  },
  {
    name: "leaving for the next entry what reads what the group writes",
    source: "spec/journal §2.2",
    file: GROUPS,
    from: "if (later!.length > 0 || readsWritten(commit, written)) {",
    to: "if (later!.length > 0) {",
  },
  {
    name: "running again what read a copy that was made anew",
    found: [760593870, 99],
    source: "spec/journal §2.2",
    file: RECENT,
    from: "if (base !== undefined && this.#base !== undefined && base !== this.#base) return true;",
    to: "",
  },
  {
    name: "creating an entry only where there is none",
    source: "spec/journal §2.3",
    file: ENGINE,
    from: "if (this.#items.has(key)) return false;",
    to: "",
  },
  {
    name: "writing parts again that are so old that they may be gone",
    found: [661341462, 896],
    source: "spec/journal §2.3",
    file: MAKER,
    from: " && known.of.base > node.revision + 1 - PART_LIFE;",
    to: ";",
    also: SHORT_PART_LIFE.edits,
  },
  {
    name: "writing parts again that trouble may have lost",
    found: [760620391, 4498],
    source: "spec/journal §2.3",
    file: MAKER,
    from: "known?.doubts === doubts && known.of",
    to: "known !== undefined && known.of",
    also: LARGE_AND_LOST.edits,
  },
  {
    name: "looking for the parts before a create is tried again after trouble",
    found: [760620779, 93],
    source: "spec/journal §3",
    file: WRITER,
    from: "head.parts !== undefined && node.doubts !== doubts;",
    to: "false;",
    also: LARGE_AND_LOST.edits,
  },
  {
    name: "comparing the ids after a refused create",
    source: "spec/journal §2.4",
    file: WRITER,
    from: "const own = attempts.find(({ head }) => head.id === id);",
    to: "const own = attempts.find(({ head }) => head.id === id && Date.now() < 0);",
  },
  {
    name: "a new id for every attempt",
    found: [760594906, 104],
    source: "spec/journal §2.4",
    file: MAKER,
    from: "id: newId(),",
    to: "id: node.id,",
  },
  {
    name: "holding back for another node's turn",
    source: "spec/journal §2.4",
    file: WRITER,
    from: "return node.held > 0 ? false : this.#commitNext();",
    to: "return this.#commitNext();",
  },
  {
    name: "finding out what became of a create without an answer",
    source: "spec/journal §2.5",
    file: "src/journal/create-entry.ts",
    from: "if (isFirst && error instanceof NothingDone) throw error;",
    to: "if (isFirst) throw error;",
  },
  {
    name: "committing nothing else while a create may still land",
    source: "spec/journal §2.5",
    file: WRITER,
    from: "answer.giveIfDue();\n        if (!(await",
    to: 'return "lost";\n        if (!(await',
  },
  {
    name: "asking until the time limit before an outcome is called unknown",
    source: "spec/journal §2.5",
    file: WRITER,
    from: "answer.giveIfDue();\n        if (!(await",
    to: 'return "unknown";\n        if (!(await',
  },
  {
    name: "the same id when it is created again",
    source: "spec/journal §2.5",
    file: WRITER,
    from: "winner = attempts.at(-1)!;",
    to: 'const id = made.head.id.split("").reverse().join(""); winner = { ...made, head: { ...made.head, id }, item: Buffer.from(made.item.toString().replace(made.head.id, id)) }; attempts.splice(0, 2, winner);',
  },
  {
    name: "reading the floor before the ids are compared",
    found: [661374446, 4082],
    source: "spec/journal §2.6",
    file: WRITER,
    from: "if (item === undefined || floor >= revision) {",
    to: "if (item === undefined) {",
    also: TRIMMED_OFTEN.edits,
  },
  {
    name: "reading the floor after a create",
    source: "spec/journal §2.6",
    file: WRITER,
    from: "if (floorAfter >= revision) {",
    to: "if (Date.now() < 0) {",
  },
  {
    name: "loading the checkpoint where a place is gone",
    source: "spec/journal §2.6",
    file: WRITER,
    from: "await ask(() => node.load());",
    to: "",
  },
  {
    name: "looking for the own id among the carried ones",
    source: "spec/journal §2.6",
    file: WRITER,
    from: "if (node.recent.has(made.head.id)) return",
    to: "if (Date.now() < 0) return",
  },
  {
    name: "calling the outcome unknown where the carried ids do not reach back",
    found: [760597387, 154],
    source: "spec/journal §2.6",
    file: WRITER,
    from: 'return node.recent.covers(revision) ? "lost" : "unknown";',
    to: 'return "lost";',
  },
  {
    name: "reading the floor before an entry is applied",
    found: [760621145, 356],
    source: "spec/journal §2.6",
    file: NODE,
    from: "if (floor > this.revision) {",
    to: "if (entries.length === 0 && floor > this.revision) {",
  },
  {
    name: "applying an entry before its writers are answered",
    source: "spec/journal §2.7",
    file: WRITER,
    from: "await node.apply(winner.head, winner.writes, winner.item.length);",
    to: "",
  },
  {
    name: "a proof for what commits nothing",
    source: "spec/journal §2.8",
    file: PROOF,
    from: "await this.prove(commit.actor);",
    to: "",
  },
  {
    name: "a read that is sent after the request came",
    found: [760598421, 959],
    source: "spec/journal §2.8",
    file: PROOF,
    from: "if (one.number <= mark)",
    to: "if (Date.now() > 0)",
  },
  {
    name: "checking against the proved state what was read before",
    source: "spec/journal §2.8",
    file: PROOF,
    from: "if (replica.holds(commit)) return node.revision;",
    to: "if (Date.now() > 0) return node.revision;",
  },
  {
    name: "comparing the id of the copy's own entry in a look",
    source: "spec/journal §2.8",
    file: LOOK,
    from: "decodeHead(own).id === id",
    to: "Date.now() > 0",
    also: LOST_AND_ASKED.edits,
  },
  {
    name: "looking at the floor",
    source: "spec/journal §2.8",
    file: LOOK,
    from: 'if (floor > revision) return "other";',
    to: "",
    also: TRIMMED_AND_ASKED.edits,
  },
  {
    name: "looking at the next entry before the copy's own one",
    found: [760625889, 21645],
    source: "spec/journal §2.8",
    file: LOOK,
    from: `  const next = await engine.read(entryName(revision + 1));
  const own = revision === 0 ? undefined : await engine.read(entryName(revision));`,
    to: `  const own = revision === 0 ? undefined : await engine.read(entryName(revision));
  const next = await engine.read(entryName(revision + 1));`,
    also: LOST_ALL_THE_TIME.edits,
  },
  {
    name: "a barrier before the reads of a look",
    source: "spec/journal §2.8",
    file: LOOK,
    from: "await engine.barrier?.();",
    to: "",
    also: IN_SESSIONS.edits,
  },
  {
    name: "a barrier before the copy's own entry is looked for",
    found: [760627328, 9137],
    source: "spec/journal §3",
    file: PLACE,
    from: "await engine.barrier?.();",
    to: "",
    also: RESTARTED_IN_SESSIONS.edits,
  },
  {
    name: "a proof before a call is answered without a commit",
    source: "spec/journal §2.8",
    file: ANSWER,
    from: "await prove();",
    to: "",
  },
  {
    name: "running a call again on the proved state",
    source: "spec/journal §2.8",
    file: ANSWER,
    from: "return state() === before ? answer() : work();",
    to: "return answer();",
  },
  {
    name: "one proof for each call",
    source: "spec/journal §2.8",
    file: ANSWER,
    from: "call.isProven = true;\n  return state() === before ? answer() : work();",
    to: "return state() === before ? answer() : provenAnswer({ call, work, isRefusalOnly, state, prove });",
  },
  {
    name: "moving the copy for a proof in one lane",
    source: "spec/journal §2.9",
    file: PROOF,
    from: "return node.exclusive(async () => {",
    to: "return (async (work: () => Promise<boolean>) => work())(async () => {",
  },
  {
    name: "moving the copy in one lane",
    source: "spec/journal §2.5",
    file: NODE,
    from: "const done = this.#lane.then(work);",
    to: "const done = work();",
  },
  {
    name: "applying only what follows the copy's newest entry",
    found: [760627792, 76],
    source: "spec/journal §3",
    file: NODE,
    from: "if (head.prev !== this.lastId) {",
    to: "if (Date.now() < 0) {",
  },
  {
    name: "verifying the log at the start",
    source: "spec/journal §3",
    file: NODE,
    from: "#doubts = 1;",
    to: "#doubts = 0;",
  },
  {
    name: "verifying the log after trouble, before a commit",
    found: [760669091, 68],
    source: "spec/journal §3",
    file: WRITER,
    from: "await node.verifyIfDoubted();\n      if (node.lastId",
    to: "if (node.lastId",
    also: [{ file: WRITER, from: "this.#parts.node.isDoubted || group", to: "group" }],
  },
  {
    name: "verifying the log before a create is tried again or taken for committed",
    source: "spec/journal §3",
    file: WRITER,
    from: "await node.verifyIfDoubted();\n    if (node.revision >=",
    to: "if (node.revision >=",
  },
  {
    name: "reading an entry again that was there before the trouble",
    found: [760669495, 490],
    source: "spec/journal §3",
    file: WRITER,
    from: "if (node.doubts !== doubts) {",
    to: "if (Date.now() < 0) {",
  },
  {
    name: "making a copy anew that is not of this log",
    source: "spec/journal §3",
    file: NODE,
    from: 'else await this.#goBack(found.place === "other" ? found.log : this.log);',
    to: "",
  },
  {
    name: "no answer from a rebuild: a new state takes the place of the copy when it is whole",
    source: "spec/journal §3",
    file: REBUILD,
    from: "await this.#fill(log);\n    await this.#follow(log);",
    to: "await this.#fill(log);",
    also: TRIMMED_AND_LOST.edits,
  },
  {
    name: "keeping the copy where the log is empty",
    found: [760604373, 293],
    source: "spec/journal §3",
    file: PLACE,
    from: "if (found === undefined) {",
    to: "if (found === undefined) return;\n  if (Date.now() < 0) {",
    also: LOST_WHOLE.edits,
  },
  {
    name: "keeping the copy where another log is",
    source: "spec/journal §3",
    file: PLACE,
    from: "await assertLog(engine, log);\n    return",
    to: "await assertLog(engine, (await findLog(engine)) ?? log);\n    return",
    also: [
      ...LOST_WHOLE.edits,
      { file: REBUILD, from: "await assertLog(parts.engine, log);", to: "" },
      { file: REBUILD, from: "if (head.revision === 1 && head.id !== log)", to: "if (Date.now() < 0)" },
      { file: REBUILD, from: "if (marker.log !== log)", to: "if (Date.now() < 0)" },
    ],
  },
  {
    name: "loading only a checkpoint that follows the copy",
    found: [709949731, 2003],
    source: "spec/journal §3",
    file: "src/journal/load-checkpoint.ts",
    from: "if (copy.revision > 0 && (marker.log !== copy.log || !mayFollow(recent, copy)))",
    to: "if (Date.now() < 0)",
    also: LOST_AND_ASKED.edits,
  },
  {
    name: "proving nothing while the log may be another one",
    found: [760670620, 1281],
    source: "spec/journal §3",
    file: NODE,
    from: "if (!this.isDoubted) this.#provedAt = sent;",
    to: "this.#provedAt = sent;",
  },
  {
    name: "reading anew what was read before the trouble",
    found: [760671007, 1292],
    source: "spec/journal §3",
    file: WRITER,
    from: "if (node.doubts !== doubts) continue;",
    to: "if (node.isDoubted) continue;",
    also: TRIMMED_AND_LOST.edits,
  },
  {
    name: "reading the floor before absence proves anything",
    source: "spec/journal §3",
    file: NODE,
    from: "if (floor > this.revision) {",
    to: "if (entries.length > 0 && floor > this.revision) {",
  },
  {
    name: "reading the floor before a create that is tried again proves anything",
    source: "spec/journal §3",
    file: WRITER,
    from: "if (item !== undefined || floor >= revision) {",
    to: "if (item !== undefined) {",
  },
  {
    name: "raising the floor before anything is removed",
    source: "spec/journal §4",
    file: CHECKPOINTS,
    from: `if (revision > 0) await engine.raiseFloor(revision);
  const floor = await engine.floor();
  if (floor === 0) return;
  await removeUpTo("entry", floor);`,
    to: `const floor = revision;
  if (floor === 0) return;
  await removeUpTo("entry", floor);
  await engine.raiseFloor(revision);`,
  },
];
