/** Users, groups and policies as clients of a data server's own API know them (management-cli.md). */

import type {
  Credential,
  CredentialWithSecret,
  ExternalPrincipal,
  Group,
  User,
} from "../../model/entities.ts";
import type { Policy } from "../../model/policy.ts";
import type { ManagementReply } from "./operation.ts";

/** Headers of answers that hold a secret (security.md §1.2). */
export const NO_STORE: readonly string[] = ["Cache-Control", "no-store"];

/** An answer with a JSON body. */
export function json(status: number, body: unknown, headers?: readonly string[]): ManagementReply {
  const text = JSON.stringify(body);
  return headers === undefined ? { status, body: text } : { status, body: text, headers };
}

/** A user. */
export function userBody({ username, creation_date, friendly_name, email }: User): Record<string, unknown> {
  return { id: username, creation_date, friendly_name, email };
}

/** A group: its id is its name. */
export function groupBody({ name, creation_date, description }: Group): Record<string, unknown> {
  return { id: name, name, creation_date, description };
}

/** A policy: statements exactly as they are stored. */
export function policyBody({ name, creation_date, statement }: Policy): Record<string, unknown> {
  return { id: name, creation_date, statement };
}

/** An access key without its secret. */
export function credentialBody({ access_key_id, creation_date }: Credential): Record<string, unknown> {
  return { access_key_id, creation_date };
}

/** An access key with its secret: only in the answer to its creation. */
export function secretBody(
  key: Pick<CredentialWithSecret, "access_key_id" | "secret_access_key" | "creation_date">,
): Record<string, unknown> {
  const { access_key_id, secret_access_key, creation_date } = key;
  return { access_key_id, secret_access_key, creation_date };
}

/** An external principal. */
export function principalBody({ id, username }: ExternalPrincipal): Record<string, unknown> {
  return { id, user_id: username };
}
