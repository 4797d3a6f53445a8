/** The log of svcctl: off unless `--log-level` says otherwise. Never holds headers or bodies. */

import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CommandContext } from "./command-context.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "panic", "none"] as const;

/** The level of an entry. */
type LogLevel = Exclude<(typeof LEVELS)[number], "none">;

/** Writes one entry. */
type Log = (level: LogLevel, message: string, fields: Readonly<Record<string, string | number>>) => void;

/**
 * The log that the global options describe.
 * @throws Error when a level, format or output cannot be used
 */
export function requestLog(context: CommandContext): Log {
  const { logLevel = "none", logFormat = "", logOutput = ["="] } = context.options;
  const least = LEVELS.indexOf(logLevel.toLowerCase() as LogLevel);
  if (least < 0) throw new Error(`not a valid log level: ${JSON.stringify(logLevel)}`);
  if (!["", "text", "json"].includes(logFormat)) {
    throw new Error(`not a valid log format: ${JSON.stringify(logFormat)}`);
  }
  return (level, message, fields) => {
    if (LEVELS.indexOf(level) < least) return;
    const entry = { time: new Date().toISOString(), level, msg: message, ...fields };
    const line = logFormat === "json" ? JSON.stringify(entry) : textLine(entry);
    for (const output of logOutput) writeTo(output, `${line}\n`, context);
  };
}

function textLine(entry: Readonly<Record<string, string | number>>): string {
  return Object.entries(entry)
    .map(([name, value]) => `${name}=${/^[\w.:/-]+$/.test(String(value)) ? value : JSON.stringify(value)}`)
    .join(" ");
}

function writeTo(output: string, line: string, context: CommandContext): void {
  if (output === "-") context.out(line);
  else if (output === "=") context.err(line);
  else appendFileSync(resolve(context.edge.cwd, output), line, { mode: 0o600 });
}
