/**
 * The log (`logging.*`): entries by pino, as JSON lines or text, to any number of outputs. Secrets are
 * replaced by field name at any depth, and no value can forge a line (spec/security §5.2).
 */

import { type Logger as PinoLogger, pino } from "pino";
import type { LineSink } from "../output/line-sink.ts";
import { openSink } from "../output/open-sink.ts";
import type { LineRelay } from "../output/relay-target.ts";
import { auditEntryLevel, ENTRY_RANKS, type EntryLevel, type LogLevel, threshold } from "./log-level.ts";
import { type LogFields, loggable } from "./redact.ts";
import { escapeJsonLine, renderFlatLine, renderTextLine } from "./text-line.ts";

export type { LogLevel } from "./log-level.ts";

/** The fields of an entry. A function is called only if the entry is written. */
type FieldsSource = LogFields | (() => LogFields);

/** Takes entries. Messages are constant texts; values that vary are fields. */
export interface Logger {
  trace(message: string, fields?: FieldsSource): void;
  debug(message: string, fields?: FieldsSource): void;
  info(message: string, fields?: FieldsSource): void;
  warn(message: string, fields?: FieldsSource): void;
  error(message: string, fields?: FieldsSource): void;
  /** An entry at `logging.audit_log_level`; nothing if that is below the main level or NONE. */
  audit(message: string, fields?: FieldsSource): void;
  /** Writes an entry of level `audit`, whatever the level of the log. Returns false where no output has room for it. */
  always(message: string, fields?: FieldsSource): boolean;
  /** True if entries of this level are written. */
  enabled(level: Exclude<LogLevel, "NONE">): boolean;
  /** True if {@link Logger.audit} writes. */
  readonly auditEnabled: boolean;
  /** Writes lines that another process handed over to one of the outputs; false where it has no room or is none. */
  relayed(output: string, batch: string): boolean;
  /** Reopens files (SIGHUP after an external rotation). */
  reopen(): void;
  /** Writes everything out and closes the outputs. Calling it twice is harmless. */
  close(): Promise<void>;
  /** Lines that an output had no room for, since the start. */
  readonly droppedLines: number;
}

/** The `logging` section. */
export interface LoggerOptions {
  readonly format: "text" | "json";
  readonly level: LogLevel;
  /** Level of audited decisions (`logging.audit_log_level`). */
  readonly auditLevel: LogLevel;
  /** `-` standard output, `=` standard error, else a path. */
  readonly outputs: readonly string[];
  /** Rotated files that stay; 0 keeps all. */
  readonly filesKeep: number;
  /** Size in MiB at which a file is rotated; 0 never. Devices and pipes are never rotated. */
  readonly fileMaxSizeMb: number;
  /** Hands lines to another process, which writes them; absent: this one does. */
  readonly relay?: LineRelay;
}

const BYTES_PER_MB = 1024 * 1024;

/** Longest text of a field; what is longer is cut. */
const MAX_TEXT = 16 * 1024;

/** Opens the log. Files are opened with their first line; those that fail are reported on standard error. */
export function createLogger(options: LoggerOptions): Logger {
  return new EntryLogger(new Core(options));
}

/** The outputs of a logger and what it writes to them. */
class Core {
  readonly threshold: number;
  readonly auditLevel: EntryLevel | undefined;
  /** By output. */
  readonly sinks: ReadonlyMap<string, LineSink>;
  readonly pino: PinoLogger<"audit">;
  readonly #isText: boolean;
  #essential = false;
  #accepted = false;

  constructor(options: LoggerOptions) {
    this.threshold = threshold(options.level);
    this.auditLevel = auditEntryLevel(options.level, options.auditLevel);
    const rotation = { maxBytes: options.fileMaxSizeMb * BYTES_PER_MB, keep: options.filesKeep };
    this.sinks = new Map(
      options.outputs.map((output) => [output, openSink(output, rotation, options.relay)] as const),
    );
    this.#isText = options.format === "text";
    const render = options.format === "text" ? renderTextLine : escapeJsonLine;
    this.pino = pino(
      {
        level: "trace",
        customLevels: { audit: ENTRY_RANKS.audit },
        base: null,
        messageKey: "message",
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { err: (value: unknown) => value },
      },
      { write: (line: string) => this.#distribute(`${render(line.trimEnd())}\n`) },
    );
  }

  /** Writes an entry of plain fields; true when at least one output took it. */
  write(level: EntryLevel, message: string, fields: LogFields): boolean {
    this.#essential = level === "audit";
    this.#accepted = false;
    const line = this.#isText ? textOf(level, message, fields) : undefined;
    if (line === undefined) this.pino[level](fields, message);
    else this.#distribute(line);
    return this.#accepted;
  }

  #distribute(line: string): void {
    for (const sink of this.sinks.values()) {
      if (sink.write(line, this.#essential)) this.#accepted = true;
    }
  }
}

/** The usual entry as text; undefined for one that needs more than names and values. */
function textOf(level: EntryLevel, message: string, fields: LogFields): string | undefined {
  const line = renderFlatLine({ time: new Date().toISOString(), level, message }, fields);
  return line === undefined ? undefined : `${line}\n`;
}

class EntryLogger implements Logger {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  trace(message: string, fields?: FieldsSource): void {
    if (this.#core.threshold <= ENTRY_RANKS.trace) this.#write("trace", message, fields);
  }

  debug(message: string, fields?: FieldsSource): void {
    if (this.#core.threshold <= ENTRY_RANKS.debug) this.#write("debug", message, fields);
  }

  info(message: string, fields?: FieldsSource): void {
    if (this.#core.threshold <= ENTRY_RANKS.info) this.#write("info", message, fields);
  }

  warn(message: string, fields?: FieldsSource): void {
    if (this.#core.threshold <= ENTRY_RANKS.warn) this.#write("warn", message, fields);
  }

  error(message: string, fields?: FieldsSource): void {
    if (this.#core.threshold <= ENTRY_RANKS.error) this.#write("error", message, fields);
  }

  audit(message: string, fields?: FieldsSource): void {
    if (this.#core.auditLevel !== undefined) this.#write(this.#core.auditLevel, message, fields);
  }

  always(message: string, fields?: FieldsSource): boolean {
    return this.#write("audit", message, fields);
  }

  enabled(level: Exclude<LogLevel, "NONE">): boolean {
    return this.#core.threshold <= threshold(level);
  }

  get auditEnabled(): boolean {
    return this.#core.auditLevel !== undefined;
  }

  relayed(output: string, batch: string): boolean {
    return this.#core.sinks.get(output)?.write(batch, true) ?? false;
  }

  reopen(): void {
    for (const sink of this.#core.sinks.values()) sink.reopen();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#core.sinks.values(), (sink) => sink.close()));
  }

  get droppedLines(): number {
    return Array.from(this.#core.sinks.values()).reduce((sum, sink) => sum + sink.dropped, 0);
  }

  #write(level: EntryLevel, message: string, source: FieldsSource | undefined): boolean {
    if (source === undefined) return this.#core.write(level, message, {});
    const fields = typeof source === "function" ? source() : source;
    return this.#core.write(level, message, loggable(fields, MAX_TEXT));
  }
}
