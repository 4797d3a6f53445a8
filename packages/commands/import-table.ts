import type { Rooms } from "../../test/house/row.ts";

/** The room of `packages/commands`, and the imports that it may have. */
export const COMMANDS_ROOMS: Rooms = {
  commands: {
    may: [
      "policy/model/closest-name.ts",
      "policy/model/condition-values.ts",
      "policy/source-files",
      "policy/errors",
    ],
  },
};
