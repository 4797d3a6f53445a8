/** Reads a short answer to its end. */

import { buffer } from "node:stream/consumers";
import type { JsonObject } from "../../api/api-client.ts";
import { isObject } from "../../api/pages.ts";
import type { StreamAnswer } from "./http-exchange.ts";

/** The status, and the JSON object that the body is; an empty one where it is none. */
export async function readAnswer(answer: StreamAnswer): Promise<{ status: number; json: JsonObject }> {
  const bytes = await buffer(answer.body);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch {
    // Object stores answer without a body, or in XML.
  }
  return { status: answer.status, json: isObject(json) ? json : {} };
}
