/** Paths, parameters and answers of the data-server API and of the management API. */

import type { Call, Reply } from "../../http/route.ts";

/** The path that all operations are below. */
export const BASE_PATH = "/api/v1";

/** Headers of answers that hold a secret (spec/security §1.2). */
export const NO_STORE: readonly string[] = ["Cache-Control", "no-store"];

/** The answer without body to a deletion and the like. */
export const NO_CONTENT: Reply = { status: 204 };

/** The answer without body to an attachment and the like. */
export function created(headers: readonly string[] = []): Reply {
  return { status: 201, headers };
}

/** The answer without body to what takes something away. */
export function removed(headers: readonly string[]): Reply {
  return { status: 204, headers };
}

/** An answer with a JSON body. */
export function json(status: number, body: unknown, headers?: readonly string[]): Reply {
  const text = JSON.stringify(body);
  return headers === undefined ? { status, body: text } : { status, body: text, headers };
}

/** The parameter at a place of the path. */
export function param({ params }: Pick<Call, "params">, index: number): string {
  return params[index] as string;
}

/** The path's parameters by name. */
export function pathValues(path: string, params: readonly string[]): Map<string, string> {
  const names = path.split("/").filter((segment) => segment.startsWith("{"));
  return new Map(names.map((name, index) => [name.slice(1, -1), params[index] as string]));
}

/**
 * The value of a path segment: data servers encode it twice. Undefined where not even the first decoding succeeds.
 * Where the second fails the first is the value: the caller encoded once. A `+` is a plus (spec/authorization-api §1).
 */
export function decodeSegment(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  const once = decodeOnce(segment);
  return once === undefined || !once.includes("%") ? once : (decodeOnce(once) ?? once);
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
