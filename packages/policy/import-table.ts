import type { Rooms } from "../../test/house/row.ts";

/** The rooms of `packages/policy`, and the imports that each may have. */
export const POLICY_ROOMS: Rooms = {
  "policy/errors": { may: [] },
  // Escapes what stands in pages.
  "policy/html": { may: [] },
  // Numbers as the texts that conditions compare.
  "policy/decimal": { may: [] },
  // Reads JSON whose names and numbers others chose.
  "policy/json-text": { may: ["policy/decimal"] },
  // Reads IPv6 addresses, which several rooms compare.
  "policy/ipv6": { may: [] },
  // Ajv, loaded when it is needed.
  "policy/schema-library": { may: [] },
  // Positions in the log of a directory.
  "policy/revision": { may: [] },
  "policy/model": { may: ["policy/errors", "policy/json-text", "policy/ipv6", "policy/decimal"] },
  "policy/engine": { may: ["policy/model", "policy/errors"] },
  "policy/catalog": { may: ["policy/model", "policy/errors", "policy/schema-library"] },
  "policy/source-files": {
    may: ["policy/model", "policy/errors", "policy/json-text", "policy/decimal"],
  },
  "policy/analysis": {
    may: [
      "policy/source-files",
      "policy/engine",
      "policy/catalog",
      "policy/model",
      "policy/errors",
      "policy/json-text",
    ],
  },
  // Records of decisions, decided again; reviews of access. Programs read both where no service runs.
  "policy/records": {
    may: ["policy/engine", "policy/model", "policy/errors", "policy/json-text", "policy/html"],
  },
};
