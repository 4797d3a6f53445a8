/** The rights that most work needs, asked for the current user: what `svcctl doctor` looks at. */

import type { ApiAnswer } from "@svc-authorizer/commands/rest-client/attempt.ts";
import type { ApiClient } from "./api/api-client.ts";
import { isObject } from "./api/pages.ts";
import { textField } from "./output/fields.ts";

/** The actions that are asked for: work with data, work with access, own keys. */
const ACTIONS: readonly string[] = [
  "fs:ListRepositories",
  "fs:ReadObject",
  "fs:WriteObject",
  "auth:ListUsers",
  "auth:CreateUser",
  "auth:CreatePolicy",
  "auth:AttachPolicy",
  "auth:CreateCredentials",
];

/** True for each action that the user may do on some resource. */
export type Rights = Readonly<Record<string, boolean>>;

/** The finding about a user without any of them. */
export const NO_RIGHTS =
  "The key works, but its user has no right to read or write anything: no policy is attached, or a policy denies it";

/** Returns the rights of the user that `GET /user` named; undefined where the server does not say. */
export async function rightsOf(api: ApiClient, { json }: ApiAnswer): Promise<Rights | undefined> {
  const user = isObject(json) && isObject(json["user"]) ? textField(json["user"], "id") : "";
  if (user === "") return undefined;
  const rights: [string, boolean][] = [];
  for (const action of ACTIONS) {
    const body = { user, required: { any_resource: { action } } };
    const answer = await api.ask({ method: "POST", path: ["auth", "check"], body });
    const allowed = isObject(answer.json) ? answer.json["allowed"] : undefined;
    if (answer.status !== 200 || typeof allowed !== "boolean") return undefined;
    rights.push([action, allowed]);
  }
  return Object.fromEntries(rights);
}
