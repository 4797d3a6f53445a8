import type { Rooms } from "../../test/house/row.ts";

/** The room of `packages/svcctl-metastore`, and the imports that it may have. */
export const METASTORE_ROOMS: Rooms = {
  "svcctl-metastore": { may: ["svcctl", "commands", "policy/errors"] },
};
