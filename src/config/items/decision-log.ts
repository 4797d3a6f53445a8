/** Configuration items of the decision log, of usage and of the shadow candidate. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.decision_log` and what learns from it. */
export const DECISION_LOG_ITEMS = [
  {
    name: "authorizer.node_name",
    type: "string",
    default: null,
    defaultNote: "name of the host",
    check: "node name",
    acts: "yes",
    meaning: "Name of this node in records, folders of the decision log and answers",
  },
  {
    name: "authorizer.decision_log.include",
    type: "string",
    default: "none",
    check: "decision share",
    acts: "yes",
    meaning:
      "Decisions that get a record: none, denied, all, or a share of the allowed ones such as 0.05 (then also all denied)",
  },
  {
    name: "authorizer.decision_log.directory",
    type: "string",
    default: null,
    defaultNote: "decision-log beside database.local.path",
    path: "file",
    acts: "yes",
    meaning: "Folder of the decision log; each process writes in a folder of its own below it",
  },
  {
    name: "authorizer.decision_log.segment_bytes",
    type: "bytes",
    default: "64 MiB",
    min: "64 KiB",
    max: "4 GiB",
    acts: "yes",
    meaning: "Size at which a segment of the decision log is closed",
  },
  {
    name: "authorizer.decision_log.segment_age",
    type: "duration",
    default: "24h",
    min: "1m",
    acts: "yes",
    meaning: "Age at which a segment of the decision log is closed",
  },
  {
    name: "authorizer.decision_log.keep",
    type: "duration",
    default: "2160h",
    acts: "yes",
    meaning: "How long closed segments are kept, unless a sink still needs them; 0s: for ever",
  },
  {
    name: "authorizer.decision_log.max_bytes",
    type: "bytes",
    default: "10 GiB",
    acts: "yes",
    meaning: "Most bytes of each process's segments; the oldest go first; 0: without bound",
  },
  {
    name: "authorizer.decision_log.compress",
    type: "bool",
    default: true,
    acts: "yes",
    meaning: "Compress closed segments with zstd",
  },
  {
    name: "authorizer.decision_log.mask",
    type: "strings",
    default: [],
    acts: "yes",
    meaning:
      "Values that records have as keyed digests: JSON pointers such as /subject/id (* for every member), or names of condition fields",
  },
  {
    name: "authorizer.decision_log.when_full",
    type: "choice",
    choices: ["drop", "refuse"],
    default: "drop",
    acts: "yes",
    meaning: "When a record finds no room: count it and answer, or refuse the decision with 503",
  },
  {
    name: "authorizer.decision_log.sync",
    type: "choice",
    choices: ["interval", "each"],
    default: "interval",
    acts: "yes",
    meaning: "Bring records to disk at least every second, or before each answer",
  },
  {
    name: "authorizer.decision_log.items",
    type: "int",
    default: 1000,
    min: 0,
    max: 100_000,
    acts: "yes",
    meaning: "Most decisions of a batch that its record lists; all are counted",
  },
] as const satisfies readonly ConfigItem[];
