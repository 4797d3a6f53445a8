import type { Rooms } from "../../test/house/row.ts";

/** The rooms of `packages/client`, and the imports that each may have. */
export const CLIENT_ROOMS: Rooms = {
  // Plans are translated with the values as the engine reads them.
  client: {
    may: [
      "policy/revision",
      "policy/model/truth-values.ts",
      "policy/model/condition-values.ts",
      "policy/model/condition-variables.ts",
    ],
    types: ["policy/model", "contract"],
  },
  // A decision point in another process: the engine, and the pure parts of decisions around it.
  "client/embedded": {
    may: [
      "client",
      "policy/engine",
      "policy/model",
      "policy/errors",
      "policy/revision",
      "policy/catalog/partition.ts",
    ],
  },
};
