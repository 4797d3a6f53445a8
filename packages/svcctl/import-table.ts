import type { Rooms } from "../../test/house/row.ts";

/** The room of `packages/svcctl`, and the imports that it may have. */
export const SVCCTL_ROOMS: Rooms = {
  svcctl: {
    may: [
      "commands",
      "policy/analysis",
      "policy/catalog",
      "policy/engine",
      "policy/errors",
      "policy/model",
      "policy/records",
      "policy/revision",
      "policy/source-files",
      "policy/json-text",
      // The commands of the plug-in, loaded where they run.
      "svcctl-metastore",
    ],
    types: ["contract"],
  },
};
