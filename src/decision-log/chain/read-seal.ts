/** Reads the seal that ends a closed segment (spec/decision-log §2.4). */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { LoggedSeal } from "@svc-authorizer/policy/records/record.ts";
import { checkLine } from "./chain-line.ts";

/** Returns the seal of a line; undefined for a damaged line, and for one that is no seal. */
export function readSeal(line: Buffer): LoggedSeal["seal"] | undefined {
  // Records may have the word too, but most have not, and need not be parsed.
  if (!line.includes('"seal":') || checkLine(line).fault !== undefined) return undefined;
  const { seal } = parsed(line);
  return isSeal(seal) ? seal : undefined;
}

function parsed(line: Buffer): { readonly seal?: unknown } {
  try {
    return parseJsonText(line.toString("utf8")) as { readonly seal?: unknown };
  } catch {
    return {};
  }
}

function isSeal(value: unknown): value is LoggedSeal["seal"] {
  if (typeof value !== "object" || value === null) return false;
  const { chain, segment, lines, digest } = value as Partial<Record<keyof LoggedSeal["seal"], unknown>>;
  return (
    typeof chain === "string" &&
    Number.isSafeInteger(segment) &&
    Number.isSafeInteger(lines) &&
    typeof digest === "string"
  );
}
