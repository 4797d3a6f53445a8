/** Configuration items that this service shares with the data server: logging. */
import type { ConfigItem } from "../item.ts";

/** Levels of the data server that this service has not under their names: of `panic` it logs more, never less. */
const LEVEL_ALIASES = { warning: "WARN", panic: "ERROR", null: "NONE" };

/** Logging. */
export const LOGGING_ITEMS = [
  {
    name: "logging.format",
    type: "choice",
    choices: ["json", "text"],
    default: "text",
    acts: "yes",
    meaning: "Log line format",
  },
  {
    name: "logging.level",
    type: "choice",
    choices: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "NONE"],
    aliases: LEVEL_ALIASES,
    default: "INFO",
    acts: "yes",
    meaning: "Lowest level written to the log; also `warning`, `panic` (here ERROR) and `null` (NONE)",
  },
  {
    name: "logging.audit_log_level",
    type: "choice",
    choices: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "NONE"],
    aliases: LEVEL_ALIASES,
    default: "DEBUG",
    acts: "in part: other audit entries, such as writes and log-ins, are written whatever the levels are",
    meaning:
      "Log level of the decisions that authorizer.audit.decisions selects; below logging.level they are not logged",
  },
  {
    name: "logging.output",
    type: "strings",
    default: "-",
    acts: "yes",
    path: "output",
    meaning: "Log destinations; dash is stdout, equals sign stderr",
  },
  {
    name: "logging.files_keep",
    type: "int",
    default: 0,
    acts: "yes",
    meaning: "Number of rotated log files kept; 0 keeps all",
  },
  {
    name: "logging.file_max_size_mb",
    type: "int",
    default: 100,
    acts: "yes",
    min: 1,
    meaning: "Largest size of one log file in megabytes",
  },
] as const satisfies readonly ConfigItem[];
