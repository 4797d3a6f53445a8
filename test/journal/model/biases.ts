/** Changes of the model or of a constant under which rare faults come soon. Without a fault in the rules there is none with them. */

/** A text of the program and what it is replaced by. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A way in which runs differ from those of the model as it is. */
interface Bias {
  readonly name: string;
  readonly edits: readonly Edit[];
}

const RUN = "test/journal/model/run.ts";
const NODE = "test/journal/model/model-node.ts";
const ARBITRARY = "test/journal/model/arbitrary.ts";

/** Parts live for so few revisions that some are removed in a run. */
export const SHORT_PART_LIFE: Bias = {
  name: "parts are removed soon",
  edits: [
    {
      file: "src/journal/checkpoints.ts",
      from: "export const PART_LIFE = 1_000;",
      to: "export const PART_LIFE = 2;",
    },
  ],
};

/** Every node trims all the time, most creates go wrong, and there is little else to do. */
export const TRIMMED_OFTEN: Bias = {
  name: "the log is trimmed all the time and most creates go wrong",
  edits: [
    {
      file: RUN,
      from: "if (schedule.choose(2) === 0) start(node.trim());",
      to: "start(node.trim());",
    },
    { file: RUN, from: "keepMs: schedule.choose(2) * 100 * STEP_MS,", to: "keepMs: 0," },
    {
      file: NODE,
      from: "for (let time = 0; time < 3; time++) {\n      await schedule.wait(80);",
      to: "for (let time = 0; time < 20; time++) {\n      await schedule.wait(12);",
    },
    {
      file: "test/journal/model/connection.ts",
      from: "switch (schedule.choose(10)) {",
      to: "switch (6 + schedule.choose(4)) {",
    },
    {
      file: ARBITRARY,
      from: "const client = fc.array(useCase, { minLength: 1, maxLength: 4 });\nconst node = fc.array(client, { minLength: 1, maxLength: 3 });",
      to: "const client = fc.array(useCase, { minLength: 1, maxLength: 2 });\nconst node = fc.array(client, { minLength: 1, maxLength: 1 });",
    },
  ],
};

/** As {@link TRIMMED_OFTEN}, and every run is put back to an early backup. */
export const TRIMMED_AND_LOST: Bias = {
  name: "the log is trimmed all the time and put back to an early backup",
  edits: [
    ...TRIMMED_OFTEN.edits,
    { file: RUN, from: "if (schedule.rarely(3)) start", to: "start" },
    {
      file: RUN,
      from: "await schedule.wait(200);\n  const backup",
      to: "await schedule.wait(60);\n  const backup",
    },
  ],
};

/** Most commits need parts, every run is put back to a backup, and half of the nodes are killed. */
export const LARGE_AND_LOST: Bias = {
  name: "most commits are large, the database is put back and nodes are killed",
  edits: [
    { file: RUN, from: "schedule.choose(2) === 0 ? ROOMY : NARROW", to: "NARROW" },
    { file: RUN, from: "if (schedule.rarely(3)) start", to: "start" },
    { file: RUN, from: "if (schedule.rarely(6)) {", to: "if (schedule.choose(2) === 0) {" },
    { file: ARBITRARY, from: "of === 7 ? 400 : 0", to: "of > 2 ? 400 : 0" },
  ],
};

/** Every run loses all that there was, and most nodes have a copy by then. */
export const LOST_WHOLE: Bias = {
  name: "the database is emptied",
  edits: [
    { file: RUN, from: "if (schedule.rarely(3)) start", to: "start" },
    {
      file: RUN,
      from: "await schedule.wait(200);\n  const backup = await database.backUp();",
      to: "const backup = await database.backUp();\n  await schedule.wait(200);",
    },
  ],
};

/** Most use cases find nothing to do. */
const ASKED: readonly Edit[] = [
  { file: ARBITRARY, from: "max: 2 }).map((of) => of === 2)", to: "max: 3 }).map((of) => of > 0)" },
];

/** Most use cases find nothing to do, and every run is put back to a backup. */
export const LOST_AND_ASKED: Bias = {
  name: "most use cases find nothing to do and the database is put back again and again",
  edits: [
    ...ASKED,
    {
      file: RUN,
      from: "if (schedule.rarely(3)) start(loseEntries(world, nodes));",
      to: "const lose = async () => { for (let time = 0; time < 6; time++) await loseEntries(world, nodes); }; start(lose());",
    },
    {
      file: RUN,
      from: "await schedule.wait(200);\n  const backup",
      to: "await schedule.wait(60);\n  const backup",
    },
  ],
};

/** As {@link LOST_AND_ASKED}, with so many backups that a database is put back between two reads of one look. */
export const LOST_ALL_THE_TIME: Bias = {
  name: "most use cases find nothing to do and the database is put back all the time",
  edits: [
    ...ASKED,
    {
      file: RUN,
      from: "if (schedule.rarely(3)) start(loseEntries(world, nodes));",
      to: "const lose = async () => { for (let time = 0; time < 30; time++) await loseEntries(world, nodes); }; start(lose());",
    },
    {
      file: RUN,
      from: "await schedule.wait(200);\n  const backup = await database.backUp();\n  await schedule.wait(100);",
      to: "await schedule.wait(20);\n  const backup = await database.backUp();\n  await schedule.wait(60);",
    },
    {
      file: RUN,
      from: "if (schedule.choose(2) === 1) {\n    for",
      to: "if (schedule.rarely(20)) {\n    for",
    },
  ],
};

/** Most use cases find nothing to do, and reads may lag behind what other nodes wrote. */
export const IN_SESSIONS: Bias = {
  name: "reads lag behind what other nodes wrote",
  edits: [...ASKED, { file: RUN, from: "isSession: schedule.rarely(8),", to: "isSession: true," }],
};

/** As {@link IN_SESSIONS}, and half of the nodes are killed and started again. */
export const RESTARTED_IN_SESSIONS: Bias = {
  name: "reads lag behind what other nodes wrote and nodes are started again",
  edits: [
    ...IN_SESSIONS.edits,
    { file: RUN, from: "if (schedule.rarely(6)) {", to: "if (schedule.choose(2) === 0) {" },
    { file: RUN, from: "const isForGood = schedule.choose(2) === 0;", to: "const isForGood = false;" },
  ],
};

/** Most use cases find nothing to do, and every node trims. */
export const TRIMMED_AND_ASKED: Bias = {
  name: "most use cases find nothing to do and the log is trimmed all the time",
  edits: [
    ...ASKED,
    {
      file: RUN,
      from: "if (schedule.choose(2) === 0) start(node.trim());",
      to: "start(node.trim());",
    },
    { file: RUN, from: "keepMs: schedule.choose(2) * 100 * STEP_MS,", to: "keepMs: 0," },
  ],
};

/** All work in turns gives way at every second look at the clock. */
export const READERS_GIVING_WAY: Bias = {
  name: "work in turns gives way all the time",
  edits: [{ file: "test/journal/model/work-clock.ts", from: "const LOOK_MS = 0;", to: "const LOOK_MS = 3;" }],
};

/** As {@link READERS_GIVING_WAY}, between nodes: what lasts for many turns is waited for. */
export const GIVING_WAY: Bias = {
  name: "work in turns gives way all the time",
  edits: [
    ...READERS_GIVING_WAY.edits,
    {
      file: "test/journal/model/schedule.ts",
      from: "const QUIET_TURNS = 20;",
      to: "const QUIET_TURNS = 1_000;",
    },
  ],
};

/** As {@link GIVING_WAY} and {@link LOST_AND_ASKED}. */
export const GIVING_WAY_AND_LOST: Bias = {
  name: "work in turns gives way all the time and the database is put back again and again",
  edits: [...LOST_AND_ASKED.edits, ...GIVING_WAY.edits],
};
