/** The forms in which a sink receives lines: as they are (NDJSON), or as OTLP log records in JSON. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { LoggedLine } from "@svc-authorizer/policy/records/record.ts";
import type { AuditedRecord } from "../audit/audit-rows.ts";

/** A form. */
export interface SinkFormat {
  readonly contentType: string;
  /** Returns the body of a request. */
  body(lines: readonly Buffer[]): Buffer;
  /** Returns the number of lines that a successful answer says it did not keep; absent if answers say nothing. */
  rejectedIn?(answer: string): number;
}

/** Lines as they are, so that the receiver can verify the chain. */
export const NDJSON: SinkFormat = {
  contentType: "application/x-ndjson",
  body: (lines) => Buffer.concat(lines.flatMap((line) => [line, LINE_FEED])),
};

const LINE_FEED = Buffer.from("\n");

/** Log records of OTLP/HTTP in JSON; the body of each is the line. */
export const OTLP: SinkFormat = {
  contentType: "application/json",
  body: (lines) => {
    const logRecords = lines.map((line) => logRecord(line.toString("utf8")));
    const resource = { attributes: [attribute("service.name", "svc-authorizer")] };
    const scopeLogs = [{ scope: { name: "svc-authorizer.decision-log" }, logRecords }];
    return Buffer.from(JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }));
  },
  rejectedIn: (answer) => {
    try {
      // A number of 64 bits, which JSON of Protocol Buffers writes as a text.
      const given = parseJsonText(answer) as { partialSuccess?: { rejectedLogRecords?: unknown } } | null;
      const count = Number(given?.partialSuccess?.rejectedLogRecords ?? 0);
      return Number.isSafeInteger(count) && count > 0 ? count : 0;
    } catch {
      return 0;
    }
  },
};

/** Severity numbers of OpenTelemetry. */
const INFO = 9;
const WARN = 13;

function logRecord(text: string): object {
  const line = parseJsonText(text) as LoggedLine;
  const refused = "decision" in line && !line.decision;
  const attributes = attributesOf(line);
  const time = `${Date.parse(line.at)}000000`;
  return {
    timeUnixNano: time,
    // What made the record also observed it.
    observedTimeUnixNano: time,
    severityNumber: refused ? WARN : INFO,
    severityText: refused ? "WARN" : "INFO",
    body: { stringValue: text },
    attributes: [...attributes, attribute("node", line.node)],
    ...("trace_id" in line && line.trace_id !== undefined ? { traceId: line.trace_id } : {}),
  };
}

/** The attributes of a decision, or of a record of the audit log; other lines have none. */
function attributesOf(line: LoggedLine | AuditedRecord): object[] {
  if ("effect" in line) {
    const { id, effect, entrance } = line;
    return [
      attribute("decision.id", id),
      attribute("decision.effect", effect),
      attribute("decision.entrance", entrance),
    ];
  }
  return "event" in line ? [attribute("audit.id", line.id), attribute("audit.event", line.event)] : [];
}

function attribute(key: string, value: string): object {
  return { key, value: { stringValue: value } };
}
