/**
 * The audit log (spec/security §5.2). Where a record goes:
 *
 * | record | `authorizer.audit.output` set | empty |
 * |---|---|---|
 * | event (always audited) | there; to the log too while that fails or has no room | to the log whatever its level, as level `audit` |
 * | decision that `authorizer.audit.decisions` selects | there, and to the log at `logging.audit_log_level` | to the log at `logging.audit_log_level` |
 *
 * The log shows decisions only where `logging.audit_log_level` is at least `logging.level`. Where a selected decision
 * would be written nowhere, `decisions` is "none", so that callers compose no record for nothing.
 */

import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { DecisionAudit, DecisionRecord } from "../../decisions/decisions.ts";
import type { LineSink } from "../output/line-sink.ts";
import { FILE_MODE } from "../output/line-sink.ts";
import { openSink } from "../output/open-sink.ts";
import type { LineRelay } from "../output/relay-target.ts";
import type { AuditCounters, AuditEventKind, AuditEvents } from "./audit-port.ts";
import type { Logger } from "./logger.ts";
import { type LogFields, loggable } from "./redact.ts";
import { escapeJsonLine } from "./text-line.ts";

/** The `authorizer.audit` section and the log. */
export interface AuditLogOptions {
  /** `-`, `=`, a path (created with mode 600), or undefined or "": the log. */
  readonly output?: string | undefined;
  readonly decisions: DecisionAudit["decisions"];
  readonly logger: Logger;
  /** Hands records to another process, which writes them; absent: this one does. */
  readonly relay?: LineRelay;
}

/** Both ports and what the process edge needs. */
export interface AuditLog extends DecisionAudit, AuditEvents {
  readonly counters: AuditCounters;
  /** Writes records that another process handed over: its lines, as they go into the output. */
  relayed(batch: string): void;
  /** Reopens the file (SIGHUP). */
  reopen(): void;
  /** Writes everything out; does not close the log. */
  close(): Promise<void>;
}

/**
 * Opens the audit log. A file that fails later is reported on standard error and tried again.
 * @throws AuthorizerError "unavailable" when the file cannot be written now, so that the service does not run unaudited
 */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { output } = options;
  if (output !== undefined && output !== "" && output !== "-" && output !== "=") checkWritable(output);
  return new RecordLog(options);
}

function checkWritable(path: string): void {
  try {
    makeFolder(dirname(path));
    closeSync(openSync(path, "a", FILE_MODE));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AuthorizerError("unavailable", `authorizer.audit.output cannot be written: ${reason}`, {
      cause,
    });
  }
}

class RecordLog implements AuditLog {
  readonly decisions: DecisionAudit["decisions"];
  readonly counters: AuditCounters = { droppedDecisions: 0, droppedEvents: 0 };
  readonly #sink: LineSink | undefined;
  readonly #logger: Logger;

  constructor(options: AuditLogOptions) {
    this.#logger = options.logger;
    const { output = "", relay } = options;
    this.#sink = output === "" ? undefined : openSink(output, undefined, relay);
    const reachable = this.#sink !== undefined || this.#logger.auditEnabled;
    this.decisions = reachable ? options.decisions : "none";
  }

  decision(record: DecisionRecord): void {
    if (this.decisions === "none" || (this.decisions === "denied" && record.effect === "allow")) return;
    if (this.#sink !== undefined && !this.#sink.write(auditLine("decision", record))) {
      this.counters.droppedDecisions++;
    }
    if (this.#logger.auditEnabled) this.#logger.audit("decision", { ...record });
  }

  event(kind: AuditEventKind, fields: LogFields): void {
    const taken = this.#sink?.write(auditLine(kind, loggable(fields)), true) ?? false;
    if (!taken || this.#sink?.failing) this.#logInstead(kind, fields, taken);
  }

  /** @param taken true: they are kept until the output can be written */
  #logInstead(kind: string, fields: LogFields, taken: boolean): void {
    const logged = this.#logger.always(kind, fields);
    if (!taken && !logged) this.counters.droppedEvents++;
  }

  relayed(batch: string): void {
    const taken = this.#sink?.write(batch, true) ?? false;
    if (taken && !this.#sink?.failing) return;
    for (const line of batch.split("\n")) {
      if (line === "") continue;
      const { time: _, event, ...fields } = parseJsonText(line) as LogFields & { readonly event: string };
      // The process that handed it over has logged it already.
      if (event !== "decision") this.#logInstead(event, fields, taken);
      else if (!taken) this.counters.droppedDecisions++;
    }
  }

  reopen(): void {
    this.#sink?.reopen();
  }

  async close(): Promise<void> {
    await this.#sink?.close();
  }
}

function auditLine(event: string, fields: object): string {
  return `${escapeJsonLine(JSON.stringify({ time: new Date().toISOString(), event, ...fields }))}\n`;
}
