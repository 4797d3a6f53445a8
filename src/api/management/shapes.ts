/** Users, groups and policies as clients of a data server's own API know them (management-cli.md). */

import type { CredentialWithSecret, User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";

/** A user. */
export function userBody(user: User): Record<string, unknown> {
  const { username, creation_date, friendly_name, email, inactive } = user;
  const body = { id: username, creation_date, friendly_name, email };
  return inactive === true ? { ...body, inactive } : body;
}

/** A policy: statements exactly as they are stored, and the findings that somebody accepted. */
export function policyBody({ name, creation_date, accept, statement }: Policy): Record<string, unknown> {
  return { id: name, creation_date, ...(accept !== undefined && { accept }), statement };
}

/** An access key with its secret: only in the answer to its creation. */
export function secretBody(
  key: Pick<CredentialWithSecret, "access_key_id" | "secret_access_key" | "creation_date">,
): Record<string, unknown> {
  const { access_key_id, secret_access_key, creation_date } = key;
  return { access_key_id, secret_access_key, creation_date };
}
