/** `svcctl bisect`, as data. */

import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { CommandSpec, GroupSpec } from "../command.ts";
import { EXAMPLE } from "../uri/arguments.ts";

const plain = (name: string, description: string, load: CommandSpec["load"]): CommandSpec => ({
  name,
  description,
  examples: [""],
  options: [JSON_OUTPUT],
  load,
});

/** A binary search over commits. */
export const BISECT_GROUP: GroupSpec = {
  name: "bisect",
  description: "Searches for the commit that introduced a fault (plumbing).",
  commands: [
    {
      name: "start",
      description: "Starts a search between a reference with the fault and an older one without it.",
      arguments: "<bad-ref-uri> <good-ref-uri>",
      argumentCount: [2, 2],
      examples: [`${EXAMPLE}/main ${EXAMPLE}/v1`],
      options: [JSON_OUTPUT],
      load: async () => (await import("./start.ts")).start,
    },
    plain("bad", "Says that the current commit has the fault.", async () =>
      (await import("./step.ts")).taking("bad"),
    ),
    plain("good", "Says that the current commit has not the fault.", async () =>
      (await import("./step.ts")).taking("good"),
    ),
    plain("log", "Shows the state of the search.", async () => (await import("./step.ts")).showState),
    plain("reset", "Ends the search.", async () => (await import("./step.ts")).reset),
    {
      name: "run",
      description: "Runs a command for each commit to test; exit code 0 says that it is good.",
      helpLines: () => [
        "The command has the variables BISECT_ID, BISECT_MESSAGE, BISECT_METARANGE_ID and BISECT_COMMITTER. In its",
        "arguments, :BISECT_ID: and the like stand for their values.",
      ],
      arguments: "<command...>",
      argumentCount: [1, Number.POSITIVE_INFINITY],
      passThrough: true,
      examples: ["./check.sh :BISECT_ID:"],
      load: async () => (await import("./run.ts")).run,
    },
    plain("view", "Shows the commits that are left.", async () => (await import("./step.ts")).view),
  ],
};
