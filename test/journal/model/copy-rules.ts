/** Rules of copies, checkpoints and removal (spec/journal §3 and spec/journal §4), each with its line, and the same line without it. */

import {
  IN_SESSIONS,
  LARGE_AND_LOST,
  LOST_WHOLE,
  RESTARTED_IN_SESSIONS,
  TRIMMED_AND_LOST,
} from "./biases.ts";

import { NODE, type Rule, WRITER } from "./rule.ts";

const PLACE = "src/journal/place-in-log.ts";
const REBUILD = "src/journal/rebuild.ts";
const CHECKPOINTS = "src/journal/checkpoints.ts";
export const COPY_RULES: readonly Rule[] = [
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
    name: "a barrier before the copy's own entry is looked for",
    found: [77, 17],
    source: "spec/journal §3",
    file: PLACE,
    from: "await engine.barrier?.();",
    to: "",
    also: RESTARTED_IN_SESSIONS.edits,
  },
  {
    name: "looking for the newest checkpoint again where one was removed before it was read",
    found: [77, 132],
    source: "spec/journal §4.1",
    file: CHECKPOINTS,
    from: "if (marker !== undefined) return marker;",
    to: "return marker;",
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
    name: "a look at the log before a state takes the place of a copy",
    found: [1, 4159],
    source: "spec/journal §3",
    file: REBUILD,
    from: "const looked = await lookAt(engine, this.#made);",
    to: 'const looked = String("newest");',
    also: [...IN_SESSIONS.edits, ...LARGE_AND_LOST.edits],
  },
  {
    name: "keeping the copy where the log is empty",
    found: [39483970, 419],
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
    found: [39491978, 5602],
    source: "spec/journal §3",
    file: "src/journal/load-checkpoint.ts",
    from: "if (copy.revision > 0 && (marker.log !== copy.log || !mayFollow(recent, copy)))",
    to: "if (Date.now() < 0)",
    also: LOST_WHOLE.edits,
  },
  {
    name: "proving nothing while the log may be another one",
    found: [15856555, 100],
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
