/** Items that a data server has too: logging. */
import type { ConfigItem } from "../item.ts";

/** Logging. */
export const LOGGING_ITEMS = [
  {
    name: "logging.format",
    type: "choice",
    choices: ["json", "text"],
    default: "text",
    actsOn: "both",
    meaning: "Log line format",
  },
  {
    name: "logging.level",
    type: "choice",
    choices: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "NONE"],
    default: "INFO",
    actsOn: "both",
    meaning: "Lowest level written to the log",
  },
  {
    name: "logging.audit_log_level",
    type: "choice",
    choices: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "NONE"],
    default: "DEBUG",
    actsOn: "both",
    meaning: "Level of audit entries; below main level they disappear",
  },
  {
    name: "logging.output",
    type: "strings",
    default: "-",
    actsOn: "both",
    path: "output",
    meaning: "Log destinations; dash is stdout, equals sign stderr",
  },
  {
    name: "logging.files_keep",
    type: "int",
    default: 0,
    actsOn: "both",
    meaning: "Number of rotated log files kept; 0 keeps all",
  },
  {
    name: "logging.file_max_size_mb",
    type: "int",
    default: 100,
    actsOn: "both",
    min: 1,
    meaning: "Largest size of one log file in megabytes",
  },
] as const satisfies readonly ConfigItem[];
