/** The items of mirroring: data servers between which repositories are mirrored. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.mirroring`. */
export const MIRRORING_ITEMS = [
  {
    name: "authorizer.mirroring.source.endpoint",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "URL of the data server with the repositories that are mirrored, without /api/v1",
  },
  {
    name: "authorizer.mirroring.source.access_key_id",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "Id of the access key that reads there; unset, with its secret: the service makes a user for each mirror, for a data server that asks this service about its callers",
  },
  {
    name: "authorizer.mirroring.source.secret_access_key",
    type: "string",
    default: null,
    secret: true,
    acts: "yes",
    meaning: "Its secret",
  },
  {
    name: "authorizer.mirroring.source.secret_access_key_file",
    type: "string",
    default: null,
    secret: true,
    path: "file",
    acts: "yes",
    meaning: "File whose first line is its secret, in place of secret_access_key",
  },
  {
    name: "authorizer.mirroring.regions",
    type: "regions",
    default: null,
    defaultNote: "empty",
    secret: true,
    acts: "yes",
    meaning:
      "Data servers that may have mirrors: {NAME: {endpoint, access_key_id, secret_access_key or secret_access_key_file}}; without a key the service makes a user for each mirror, as for the source. With none, nothing is mirrored and there is no replication API",
  },
  {
    name: "authorizer.mirroring.scan_interval",
    type: "duration",
    default: "1m",
    min: "1s",
    acts: "yes",
    meaning: "Time between two looks at the branches of a source",
  },
  {
    name: "authorizer.mirroring.verify_interval",
    type: "duration",
    default: "10s",
    min: "1s",
    acts: "yes",
    meaning: "Time between two looks at what a mirror waits for",
  },
  {
    name: "authorizer.mirroring.recheck",
    type: "duration",
    default: "0s",
    min: "0s",
    acts: "yes",
    meaning:
      "Time between two looks at all objects of all heads that a mirror shows, one call for each object; 0s: they are looked at once, before they are shown",
  },
  {
    name: "authorizer.mirroring.recheck_missing",
    type: "duration",
    default: "10m",
    min: "1s",
    acts: "yes",
    meaning:
      "Shortest time between the two looks at a source after which data that it lost holds no commit back",
  },
  {
    name: "authorizer.mirroring.external_objects",
    type: "choice",
    choices: ["report", "block"],
    default: "report",
    acts: "yes",
    meaning:
      "Objects that lie outside the storage namespace of a source, of which a mirror reads the source's copy: count them, or hold their commits back",
  },
] as const satisfies readonly ConfigItem[];
