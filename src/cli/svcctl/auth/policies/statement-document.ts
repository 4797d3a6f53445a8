/** The file of `svcctl auth policies create --statement-document` (management-cli.md §3). */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { parseTree } from "jsonc-parser";
import type { Condition, Statement } from "../../../../model/policy.ts";
import type { CommandContext } from "../../command-context.ts";
import { openFault } from "../../settings/settings-file.ts";

/** The text of a document: of a file, or for `-` of standard input. */
export async function readDocument(context: CommandContext, path: string): Promise<string> {
  if (path === "-") return readAll(context.edge.stdin);
  try {
    return readFileSync(resolve(context.edge.cwd, path), "utf8");
  } catch (error) {
    throw new Error(`could not open policy document: ${openFault(path, error)}`);
  }
}

/**
 * The statements of a document: the first JSON value of the text. Unknown keys are left out. A resource may be a list
 * too, as `auth policies show` prints it.
 * @throws Error `could not parse statement JSON document: …`
 */
export function parseDocument(text: string): readonly Statement[] {
  const document = objectOf(firstValue(text), "document");
  const list = document["statement"] ?? [];
  if (!Array.isArray(list)) throw faulty("statement: expected a list");
  return list.map((entry, index) => statementOf(entry, `statement[${index}]`));
}

function faulty(what: string): Error {
  return new Error(`could not parse statement JSON document: ${what}`);
}

function firstValue(text: string): unknown {
  if (text.trim() === "") throw faulty("EOF");
  // What follows the first value is not looked at; only a tolerant parser says where that value ends.
  const tree = parseTree(text, [], { disallowComments: true });
  try {
    return JSON.parse(tree === undefined ? text : text.slice(0, tree.offset + tree.length));
  } catch (error) {
    throw faulty((error as Error).message);
  }
}

function statementOf(value: unknown, at: string): Statement {
  const { sid, action, effect, resource, condition } = objectOf(value, at);
  const named = textOf(sid, `${at}.sid`);
  return {
    ...(named === "" ? {} : { sid: named }),
    action: listOf(action, `${at}.action`),
    effect: textOf(effect, `${at}.effect`),
    resource: Array.isArray(resource)
      ? JSON.stringify(listOf(resource, `${at}.resource`))
      : textOf(resource, `${at}.resource`),
    ...(condition !== undefined &&
      condition !== null && {
        // The server judges what stands in it.
        condition: objectOf(condition, `${at}.condition`) as Condition,
      }),
  };
}

function objectOf(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw faulty(`${at}: expected an object`);
}

function listOf(value: unknown, at: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw faulty(`${at}: expected a list`);
  return value.map((element, index) => textOf(element, `${at}[${index}]`));
}

function textOf(value: unknown, at: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw faulty(`${at}: expected a string`);
}
