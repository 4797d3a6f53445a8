/** Users, groups and policies as they go over the wire (authorization-api.md §6). */

import type { Access } from "../../http/scopes.ts";
import type { Group, User } from "../../model/entities.ts";
import type { Policy } from "../../model/policy.ts";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** True for a text that clients can read as bytes. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

/**
 * A user. A password is a secret: only callers with scope `secrets` get it, and one that is no base64 nobody, since
 * it would spoil the whole answer for a client.
 */
export function userBody(user: User, access: Access): Record<string, unknown> {
  const { username, creation_date, friendly_name, email, source, external_id, encryptedPassword } = user;
  const shown =
    encryptedPassword !== undefined && access.scopes.has("secrets") && isBase64(encryptedPassword);
  return {
    username,
    creation_date,
    friendly_name,
    email,
    source,
    external_id,
    ...(shown ? { encryptedPassword } : {}),
  };
}

/** A group: its id is its name. */
export function groupBody({ name, creation_date, description }: Group): Record<string, unknown> {
  return { id: name, name, creation_date, description };
}

/** A policy: statements exactly as they are stored. */
export function policyBody({ name, creation_date, acl, statement }: Policy): Record<string, unknown> {
  return { name, creation_date, acl, statement };
}
