/** JSON, YAML and CSV for programs: `--output`. Dates are RFC 3339 in UTC. */

import { jsonText } from "./json-text.ts";

/** A format for programs. */
export type StructuredFormat = "json" | "yaml" | "csv";

/**
 * A value in a format, ending with a line feed. CSV takes a list of objects, or one object as a list of one.
 * @param names columns of CSV; default are the fields of the objects
 */
export async function structuredText(
  format: StructuredFormat,
  value: unknown,
  names?: readonly string[],
): Promise<string> {
  const dated = withDates(value);
  if (format === "json") return jsonText(dated);
  if (format === "csv") return csvText(dated, names);
  const { yamlText } = await import("./yaml-text.ts");
  return yamlText(dated);
}

/** Names of fields that hold Unix seconds, where they are numbers. */
const DATES = /(_date|_expiry|_at|^mtime|^last_used|^uses_since|^since)$/;

/** Names of fields whose members have names of the users' own: nothing is known of what is in them. */
const OWN: ReadonlySet<string> = new Set(["properties", "condition", "context"]);

/** The value with Unix seconds in such fields turned into RFC 3339. */
function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withDate(name, field)]));
}

function withDate(name: string, field: unknown): unknown {
  if (OWN.has(name)) return field;
  return DATES.test(name) && typeof field === "number" ? dateText(field) : withDates(field);
}

/** `2023-05-01T10:00:00Z`; a number that is no date stays as it is. */
function dateText(seconds: number): string | number {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? seconds : date.toISOString().replace(/\.000Z$/, "Z");
}

/** RFC 4180, with a line of names first. Values that are no scalars are JSON. */
function csvText(value: unknown, columns?: readonly string[]): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const rows = list.filter((one): one is object => typeof one === "object" && one !== null);
  const names = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => {
    const fields = new Map(Object.entries(row));
    return names.map((name) => csvCell(fields.get(name))).join(",");
  });
  return [names.map(csvCell).join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
