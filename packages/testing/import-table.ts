import type { Rooms } from "../../test/house/row.ts";

/** The room of `packages/testing`, and the imports that it may have. */
export const TESTING_ROOMS: Rooms = {
  testing: {
    may: ["compose", "config", "client", "datasets", "directory", "policy/errors"],
    types: ["policy/model"],
  },
};
