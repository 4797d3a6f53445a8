/** Levels of the log (`logging.level`, `logging.audit_log_level`). */

/** The levels of the configuration; NONE switches the log off. */
export type LogLevel = "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "NONE";

/** A level that an entry can have, as it is written in JSON lines. `audit` is above every threshold. */
export type EntryLevel = "trace" | "debug" | "info" | "warn" | "error" | "audit";

/** Order of the entry levels. */
export const ENTRY_RANKS: Readonly<Record<EntryLevel, number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  audit: 100,
};

const ENTRY_LEVELS: Readonly<Record<LogLevel, EntryLevel | undefined>> = {
  TRACE: "trace",
  DEBUG: "debug",
  INFO: "info",
  WARN: "warn",
  ERROR: "error",
  NONE: undefined,
};

/** Rank from which on entries are written: above all of the leveled ones for NONE, below `audit`. */
export function threshold(level: LogLevel): number {
  const entry = ENTRY_LEVELS[level];
  return entry === undefined ? ENTRY_RANKS.error + 1 : ENTRY_RANKS[entry];
}

/** The entry level of audited decisions, or undefined if `auditLevel` is NONE or below the main level. */
export function auditEntryLevel(level: LogLevel, auditLevel: LogLevel): EntryLevel | undefined {
  const entry = ENTRY_LEVELS[auditLevel];
  return entry !== undefined && ENTRY_RANKS[entry] >= threshold(level) ? entry : undefined;
}
