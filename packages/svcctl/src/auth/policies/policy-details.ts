/** A policy in full, as `auth policies show` prints it (spec/management-cli §3). */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../../api/api-client.ts";
import { formatDate } from "../../output/dates.ts";
import { textField } from "../../output/fields.ts";
import { jsonText } from "../../output/json-text.ts";
import type { Style } from "../../style.ts";

/** The block, with the empty line before and after it. */
export function policyDetails(policy: JsonObject, { bold }: Style): string {
  const statements = Array.isArray(policy["statement"]) ? policy["statement"] : [];
  const lines = [
    "",
    `ID: ${bold(safeText(textField(policy, "id")))}`,
    `Creation Date: ${formatDate(policy["creation_date"])}`,
    "Statements:",
    htmlSafe(jsonText({ ...acceptedOf(policy), statement: statements.map(shownStatement) })),
  ];
  return `${lines.join("\n")}\n`;
}

/** The member that no data server answers; nothing where the policy accepts no findings of lint. */
function acceptedOf({ accept }: JsonObject): JsonObject {
  return Array.isArray(accept) && accept.length > 0 ? { accept } : {};
}

/** Keys in the order of spec/management-cli §3. A resource that is a JSON array in a text is shown as the array. */
function shownStatement({ action, condition, effect, resource, sid }: JsonObject): JsonObject {
  return {
    ...(sid !== undefined && sid !== null && { sid }),
    action,
    ...(condition !== undefined && condition !== null && { condition }),
    effect,
    resource: shownResource(resource),
  };
}

function shownResource(resource: unknown): unknown {
  if (typeof resource !== "string" || !resource.startsWith("[")) return resource;
  try {
    const list: unknown = JSON.parse(resource);
    return Array.isArray(list) ? list : resource;
  } catch {
    // A resource that only begins like a list.
    return resource;
  }
}

/** The characters that `lakectl` escapes in JSON. */
function htmlSafe(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
