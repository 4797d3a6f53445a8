/** Users, groups and policies as they go over the wire (spec/authorization-api §6). */

import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { ServiceCaller } from "../service-caller.ts";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** True for a text that clients can read as bytes. */
function isBase64(text: string): boolean {
  return BASE64.test(text);
}

/**
 * A user. A password is a secret: only callers with scope `secrets` get it. A password that is no base64 is left
 * out, since clients could not read the answer.
 */
export function userBody(user: User, caller: ServiceCaller): Record<string, unknown> {
  const { username, creation_date, friendly_name, email, source, external_id, inactive, encryptedPassword } =
    user;
  const shown =
    encryptedPassword !== undefined && caller.scopes.has("secrets") && isBase64(encryptedPassword);
  return {
    username,
    creation_date,
    friendly_name,
    email,
    source,
    external_id,
    // A data server ignores it. Who copies the directory must not make the user active.
    ...(inactive === true ? { inactive } : {}),
    ...(shown ? { encryptedPassword } : {}),
  };
}

/** A policy: statements exactly as they are stored. */
export function policyBody({ name, creation_date, acl, statement }: Policy): Record<string, unknown> {
  return { name, creation_date, acl, statement };
}
