/**
 * The format number of a store: a newer store is refused, an older one is migrated step by step. Knows no
 * backend; each keeps the record its own way and has its own table of migrations.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** The format record of a store. */
interface FormatRecord {
  readonly format: number;
  /** The program and version that created the store or last migrated it, e.g. `svc-authorizer 0.1.0`. */
  readonly written_by: string;
}

/** One step from a format to the next, run within one transaction of the backend (`T`). */
export interface Migration<T> {
  /** The format that the step starts from; it ends at `from + 1`. */
  readonly from: number;
  /** For the log: what the step changes. */
  readonly what: string;
  run(transaction: T): void;
}

/** The format that a backend writes, and the steps to it from all earlier ones. */
export interface StoreFormats<T> {
  readonly current: number;
  /** Oldest format that is read as it is, where nothing may be written; default the current one. */
  readonly readable?: number;
  readonly migrations: readonly Migration<T>[];
}

/**
 * The steps that bring a store to the current format, in order; none when it has it already. Throws AuthorizerError
 * "unavailable" for a newer store and for an older one whose steps are not all in the table.
 */
export function planMigrations<T>(
  where: string,
  found: FormatRecord,
  formats: StoreFormats<T>,
): readonly Migration<T>[] {
  if (found.format > formats.current) {
    throw new AuthorizerError(
      "unavailable",
      `The store in ${where} has format ${found.format} and was written by ${found.written_by}; this program knows ` +
        `formats up to ${formats.current}. Use the program that wrote it, or a later one.`,
    );
  }
  const steps: Migration<T>[] = [];
  for (let format = found.format; format < formats.current; format++) {
    const step = formats.migrations.find(({ from }) => from === format);
    if (step === undefined) {
      throw new AuthorizerError(
        "unavailable",
        `The store in ${where} has format ${found.format}, from which this program cannot migrate.`,
      );
    }
    steps.push(step);
  }
  return steps;
}

/** Reads the text of a format record. Throws AuthorizerError "unavailable" when it is not one. */
export function parseFormatRecord(where: string, text: string): FormatRecord {
  const record = parseJson(text);
  if (typeof record === "object" && record !== null && "format" in record && "written_by" in record) {
    const { format, written_by } = record;
    if (
      typeof format === "number" &&
      Number.isSafeInteger(format) &&
      format >= 1 &&
      typeof written_by === "string"
    ) {
      return { format, written_by };
    }
  }
  throw new AuthorizerError("unavailable", `The format record of the store in ${where} is damaged.`);
}

/** The text of a format record. */
export function formatRecordText({ format, written_by }: FormatRecord): string {
  return JSON.stringify({ format, written_by });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
