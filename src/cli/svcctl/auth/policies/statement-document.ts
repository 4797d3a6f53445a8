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
 * @throws Error `could not parse statement JSON document: …` with every problem
 */
export function parseDocument(text: string): readonly Statement[] {
  const reader = new Reader();
  // Some editors begin a file with a mark of the byte order.
  const document = reader.object(firstValue(text.replace(/^\uFEFF/, "")), "document");
  const list = reader.list(document["statement"], "statement");
  const statements = list.map((entry, index) => statementOf(entry, `statement[${index}]`, reader));
  if (reader.problems.length > 0) throw faulty(reader.problems.join("; "));
  return statements;
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
