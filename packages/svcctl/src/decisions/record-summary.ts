/** A record in a few words. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import { objectsIn } from "../output/fields.ts";

/** Permissions of a tree that a row names. */
const MOST_SHOWN = 2;

/** The fields of a row about a record. */
interface RecordSummary {
  readonly at: string;
  readonly id: string;
  readonly subject: string;
  readonly action: string;
  readonly resource: string;
  readonly effect: string;
  /** Names of the policies that decided. */
  readonly policies: readonly string[];
}

/** Summarises a record. Texts of a record may come from anybody, so that none reaches a terminal as it is. */
export function summaryOf(record: JsonObject): RecordSummary {
  const items = objectsIn(record["items"]);
  const statements = [record, ...items].flatMap((one) => objectsIn(one["determining"]));
  const counts = record["counts"];
  const resource = isObject(record["resource"]) ? record["resource"]["arn"] : undefined;
  const permissions = permissionsIn(record["required"]);
  return {
    at: text(record["at"]),
    id: text(record["id"]),
    subject: text(isObject(record["subject"]) ? record["subject"]["id"] : undefined),
    action: text(record["action"]) || someOf(permissions.map((permission) => text(permission["action"]))),
    resource: isObject(counts)
      ? countsText(counts)
      : text(resource) || someOf(permissions.map((permission) => text(permission["resource"]))),
    effect: text(record["effect"]),
    policies: [...new Set(statements.map(({ policy }) => text(policy)))],
  };
}

/** The permissions of a tree. */
function permissionsIn(required: unknown): readonly JsonObject[] {
  if (!isObject(required)) return [];
  const { and, or, any_resource: gate } = required;
  const children = [...objectsIn(and), ...objectsIn(or)];
  if (isObject(gate)) return [gate];
  return children.length === 0 ? [required] : children.flatMap(permissionsIn);
}

/** The first of some texts, and how many more there are. */
function someOf(texts: readonly string[]): string {
  const distinct = [...new Set(texts.filter((one) => one !== ""))];
  const more = distinct.length - MOST_SHOWN;
  return distinct.slice(0, MOST_SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function countsText(counts: JsonObject): string {
  const total = Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0);
  return `(${total} decisions, ${Number(counts["allow"])} allowed)`;
}

function text(value: unknown): string {
  return typeof value === "string" ? safeText(value) : "";
}
