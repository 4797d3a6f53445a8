/** The file of `svcctl auth policies create --statement-document` (spec/management-cli §3). */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import {
  canonicalPolicy,
  isRemark,
  policyMemberProblems,
} from "@svc-authorizer/policy/model/policy-members.ts";
import { parseJson } from "@svc-authorizer/policy/source-files/json-source.ts";
import { segmentsOf } from "@svc-authorizer/policy/source-files/source.ts";
import { parseTree } from "jsonc-parser";
import type { CommandContext } from "../../command-context.ts";
import { readInput } from "../../input.ts";

const IN_STATEMENT = /^\/statement\/\d+\//;

/** The text of a document: of a file, or for `-` of standard input. */
export async function readDocument(context: CommandContext, path: string): Promise<string> {
  try {
    return await readInput(context, path);
  } catch (error) {
    throw new Error(`could not open policy document: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The statements of a document: the first JSON value of the text. Members may be in any letter case; what is not
 * understood is refused, since it may have been meant to restrict. A resource may be a list too, as `auth policies show`
 * prints it.
 * @param onRemark given: it gets the place of each member of a statement that is unlike every one that restricts, and the
 *   member is left out
 * @throws Error `could not parse statement JSON document: …` with every problem
 */
export function parseDocument(text: string, onRemark?: (at: string) => void): readonly Statement[] {
  const reader = new Reader();
  // Some editors begin a file with a mark of the byte order.
  const value = canonicalPolicy(firstValue(text.replace(/^\uFEFF/, "")));
  const document = reader.object(value, "document");
  for (const { pointer, message } of policyMemberProblems(value, "")) {
    const name = segmentsOf(pointer).at(-1) as string;
    if (onRemark !== undefined && IN_STATEMENT.test(pointer) && isRemark(name)) onRemark(placeOf(pointer));
    else reader.problems.push(`${placeOf(pointer)}: ${message}`);
  }
  const list = reader.list(document["statement"], "statement");
  const statements = list.map((entry, index) => statementOf(entry, `statement[${index}]`, reader));
  if (reader.problems.length > 0) throw faulty(reader.problems.join("; "));
  return statements;
}

/** The findings of lint that a document accepts, as they are written: the server judges them. Nothing where it has none. */
export function acceptedIn(text: string): { readonly accept?: unknown } {
  const value = canonicalPolicy(firstValue(text.replace(/^\uFEFF/, "")));
  const accept = typeof value === "object" && value !== null && "accept" in value ? value.accept : undefined;
  return accept === undefined || accept === null ? {} : { accept };
}

function faulty(what: string): Error {
  return new Error(`could not parse statement JSON document: ${what}`);
}

function firstValue(text: string): unknown {
  if (text.trim() === "") throw faulty("EOF");
  // What follows the first value is not looked at; only a tolerant parser says where that value ends.
  const tree = parseTree(text, [], { disallowComments: true });
  const first = tree === undefined ? text : text.slice(0, tree.offset + tree.length);
  try {
    JSON.parse(first);
  } catch (error) {
    throw faulty((error as Error).message);
  }
  const parsed = parseJson(first);
  if ("value" in parsed) return parsed.value;
  throw faulty(parsed.faults.map(({ pointer, message }) => `${placeOf(pointer)}: ${message}`).join("; "));
}

/** A pointer as people write it: `/statement/0/effect` is `statement[0].effect`. */
function placeOf(pointer: string): string {
  const steps = segmentsOf(pointer).map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
  return safeText(steps.join("").replace(/^\./, ""));
}

function statementOf(value: unknown, at: string, reader: Reader): Statement {
  const { sid, action, effect, resource, condition } = reader.object(value, at);
  const named = reader.text(sid, `${at}.sid`);
  return {
    ...(named === "" ? {} : { sid: named }),
    action: reader.texts(action, `${at}.action`),
    effect: reader.text(effect, `${at}.effect`),
    resource: Array.isArray(resource)
      ? JSON.stringify(reader.texts(resource, `${at}.resource`))
      : reader.text(resource, `${at}.resource`),
    ...(condition !== undefined &&
      condition !== null && {
        // The server judges what stands in it.
        condition: reader.object(condition, `${at}.condition`) as Condition,
      }),
  };
}

/** Reads values of expected types. What has another type is noted, and reads as if it were absent. */
class Reader {
  readonly problems: string[] = [];

  object(value: unknown, at: string): Readonly<Record<string, unknown>> {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    this.problems.push(`${at}: expected an object`);
    return {};
  }

  list(value: unknown, at: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.problems.push(`${at}: expected a list`);
    return [];
  }

  texts(value: unknown, at: string): readonly string[] {
    return this.list(value, at).map((element, index) => this.text(element, `${at}[${index}]`));
  }

  text(value: unknown, at: string): string {
    if (value === undefined || value === null) return "";
    if (typeof value === "string") return value;
    this.problems.push(`${at}: expected a string`);
    return "";
  }
}
