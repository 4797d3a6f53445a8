/** Bodies that both REST APIs answer with (spec/authorization-api §6). */

import type { Credential, ExternalPrincipal, Group } from "@svc-authorizer/policy/model/entities.ts";

/** A group: its id is its name. */
export function groupBody({ name, creation_date, description }: Group): Record<string, unknown> {
  return { id: name, name, creation_date, description };
}

/** An access key without its secret. */
export function credentialBody({ access_key_id, creation_date }: Credential): Record<string, unknown> {
  return { access_key_id, creation_date };
}

/** An external principal. */
export function principalBody({ id, username }: ExternalPrincipal): Record<string, unknown> {
  return { id, user_id: username };
}
