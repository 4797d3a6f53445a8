/** The question of the playground: who wants to do what on what. It stands in the address, so that it can be sent. */

import type { CheckRequest, Context } from "@svc-authorizer/contract/management-api.gen.ts";
import { readJson } from "../../parts/forms/read-json.ts";

/** A question as it is typed. */
export interface Question {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
  /** Condition fields as a JSON object; empty: none. */
  readonly context: string;
}

const NAMES = ["user", "action", "resource", "context"] as const;

/** The question that an address asks; empty parts where it asks none. */
export function questionIn(query: Readonly<Record<string, string>>): Question {
  const [user = "", action = "", resource = "", context = ""] = NAMES.map((name) => query[name]);
  return { user, action, resource, context };
}

/** The query of the address that asks a question. */
export function queryOf(question: Question): string {
  const given = NAMES.map((name) => [name, question[name]] as const).filter(([, text]) => text !== "");
  return new URLSearchParams(given.map(([name, text]): [string, string] => [name, text])).toString();
}

/** True when a question can be asked. */
export function isWhole({ user, action, resource }: Question): boolean {
  return user !== "" && action !== "" && resource !== "";
}

/** The condition fields of a text, or why it is none. */
export function contextOf(text: string): { readonly context: Context } | { readonly problem: string } {
  if (text.trim() === "") return { context: {} };
  try {
    const value = readJson(text, "This is not JSON");
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { context: value as NonNullable<Context> };
    }
    return { problem: 'Write a JSON object, such as {"SourceIp": "10.0.0.1"}.' };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The body of a call that asks a question; the context is left out where it cannot be read. */
export function requestOf({ user, action, resource, context }: Question): CheckRequest {
  const read = contextOf(context);
  const fields = "context" in read && context.trim() !== "" ? { context: read.context } : {};
  return { user, required: { action, resource }, ...fields, explain: true };
}
