/** Rules for readers, callers and tokens, each with the line of the program that keeps it, and the same line without it. */

import type { Rule } from "../model/rule.ts";

const ENTRIES = "src/api/changes/entries-after.ts";
const STREAM = "src/api/changes/replica-stream.ts";
const READER = "packages/client/src/embedded/replica-reader.ts";

export const READER_RULES: readonly Rule[] = [
  {
    name: "taking a reader's position for the entry that it names",
    source: "spec/journal §6.5",
    file: "src/api/changes/starting-point.ts",
    from: "return id !== undefined && shortId(id) === entry ? { revision, id } :",
    to: "return id !== undefined ? { revision, id } :",
  },
  {
    name: "comparing the entry that an open stream sent last",
    source: "spec/journal §6.5",
    file: ENTRIES,
    from: "if ((await log.idOf(revision)) !== id) return undefined;",
    to: "",
    also: [
      {
        file: ENTRIES,
        from: "return (await log.idOf(revision)) === id ? entries : undefined;",
        to: "return entries;",
      },
    ],
  },
  {
    name: "sending the writes of an entry by its id",
    source: "spec/journal §6.5",
    file: "src/directory/read/replica-records.ts",
    from: "this.#store.history.writes(revision, id);",
    to: "this.#store.history.writes(revision);",
  },
  {
    name: "beginning a checkpoint anew where the state was replaced",
    source: "spec/journal §6.5",
    file: STREAM,
    from: "if (end !== undefined && (await records.base()) === base) {",
    to: "if (end !== undefined) {",
  },
  {
    name: "taking a state and its name in one step",
    source: "spec/journal §6.5",
    file: READER,
    from: 'if (block.kind === "checkpoint") block.state.apply(record);',
    to: 'if (block.kind === "checkpoint") (this.#held?.state.apply(record), block.state.apply(record));',
  },
  {
    name: "dropping what a broken stream left incomplete",
    source: "spec/journal §6.5",
    file: READER,
    from: "this.#block = undefined;\n    if (this.point",
    to: "if (this.point",
    also: [
      {
        file: READER,
        from: 'this.#block = { kind: "checkpoint", log: head.log, state: new ReplicaState() };',
        to: 'this.#block ??= { kind: "checkpoint", log: head.log, state: new ReplicaState() };',
      },
    ],
  },
  {
    name: "proving before a caller is told that the state went back",
    source: "spec/journal §6.2",
    file: "src/journal/revisions.ts",
    from: "if (!(await this.#proved(missing))) throw this.#behind(missing);",
    to: "",
  },
  {
    name: "comparing the beginning of sessions for equality",
    source: "spec/journal §5",
    file: "src/identity/login-tokens.ts",
    from: "if (since !== undefined) return since === session.since;",
    to: "",
  },
];
