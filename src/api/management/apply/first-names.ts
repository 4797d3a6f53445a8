/**
 * The names with which documents begin, asked for before anything is made of them: who may not read what documents name
 * causes no more work than it takes to say so (spec/security §5.3).
 */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { AskedPermissions } from "./change-permissions.ts";

/** The lists of a document, what they list, and the member that names it. */
const LISTS = [
  ["policies", "policy", "name"],
  ["groups", "group", "name"],
  ["users", "user", "username"],
] as const;

/** Names of each list that are looked at. */
const FIRST = 100;

/** The refusals to read what documents name first. What is no document or no name is left to those who check its form. */
export async function refusedFirst(
  permissions: Pick<AskedPermissions, "reading">,
  documents: readonly unknown[],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [list, kind, member] of LISTS) {
    let looked = 0;
    for (const [document, value] of documents.entries()) {
      const listed = memberOf(value, list);
      if (!Array.isArray(listed)) continue;
      for (const [index, entity] of listed.slice(0, FIRST - looked).entries()) {
        looked++;
        const name = memberOf(entity, member);
        if (typeof name !== "string" || !isPossibleName(name)) continue;
        const message = await permissions.reading(kind, name);
        if (message !== undefined)
          problems.push({ pointer: `/documents/${document}/${list}/${index}`, message });
      }
    }
  }
  return problems;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
