/** Bodies that both REST APIs answer with (spec/authorization-api §6). */

import type { Credential, ExternalPrincipal, Group } from "@svc-authorizer/policy/model/entities.ts";

/** A group: its id is its name. */
export function groupBody({ name, creation_date, description }: Group): Record<string, unknown> {
  return { id: name, name, creation_date, description };
}

/** An access key without its secret, with the time at which it expires: a data server ignores that, who copies keys must not. */
export function credentialBody(key: Credential): Record<string, unknown> {
  const { access_key_id, creation_date } = key;
  return { access_key_id, creation_date, ...termOf(key) };
}

/** The time at which an access key expires; nothing for one that does not. */
export function termOf({ expires_at }: Credential): { readonly expires_at?: number } {
  return expires_at === undefined ? {} : { expires_at };
}

/** An external principal. */
export function principalBody({ id, username }: ExternalPrincipal): Record<string, unknown> {
  return { id, user_id: username };
}
