/** Lists and small bodies of the data-server API. */

import type { Schema, Schemas } from "../openapi-types.ts";
import { listOf, object, schemaRef, text, UNIX_SECONDS } from "../schema-forms.ts";

function pageOf(schema: string): Schema {
  return object({ pagination: schemaRef("Pagination"), results: listOf(schemaRef(schema)) });
}

/** Schemas of the data-server API besides its entities and policies. */
export const AUTHORIZATION_SCHEMAS: Schemas = {
  Pagination: object({
    has_more: { type: "boolean", description: "Whether there is a next page." },
    next_offset: text("`after` of the next page; empty on the last one."),
    results: { type: "integer", minimum: 0, description: "Items of this page." },
    max_per_page: { type: "integer", minimum: 0, description: "Most items that a page can have." },
  }),
  UserList: pageOf("User"),
  GroupList: pageOf("Group"),
  PolicyList: pageOf("Policy"),
  CredentialsList: pageOf("Credentials"),
  ExternalPrincipalList: pageOf("ExternalPrincipal"),
  PasswordUpdate: object({
    encryptedPassword: { type: "string", contentEncoding: "base64", description: "Opaque to this service." },
  }),
  FriendlyNameUpdate: object({ friendly_name: text("Name to show.") }),
  ClaimTokenId: object({ token_id: text("Id of a one-time token."), expires_at: UNIX_SECONDS }),
  Version: object({ version: text("Version of the service.") }),
};
