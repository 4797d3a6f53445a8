/** Users, groups, credentials. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, optionalText, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";
import { INACTIVE, KEY_MEMBERS, TERM } from "../../rest/declared.ts";

const PASSWORD = {
  format: "byte",
  contentEncoding: "base64",
  description: "Opaque to this service, in base64.",
} as const satisfies Schema;
const EXTERNAL_ID = "Id at the identity provider, unique over all users.";
const SOURCE = "Where the user comes from, such as `internal` or `oidc`.";

/** Schemas of entities. */
export const ENTITY_SCHEMAS: Schemas = {
  User: object(
    {
      username: text("Unique name."),
      creation_date: UNIX_SECONDS,
      friendly_name: text("Name to show."),
      email: text("E-mail address."),
      source: text(SOURCE),
      external_id: text(EXTERNAL_ID),
      inactive: INACTIVE,
      encryptedPassword: {
        type: "string",
        ...PASSWORD,
        description: "Only for tokens with scope `secrets`.",
      },
    },
    ["username", "creation_date"],
  ),
  UserCreation: object(
    {
      username: {
        type: "string",
        minLength: 1,
        description: "Unique name, at most 1,024 bytes, without control characters, `*`, `?` and `%`.",
      },
      email: optionalText("E-mail address."),
      friendlyName: optionalText("Name to show."),
      source: optionalText(SOURCE),
      external_id: optionalText(EXTERNAL_ID),
      invite: {
        type: ["boolean", "null"],
        default: false,
        description: "Send an invitation to the e-mail address, which must then be given.",
      },
      encryptedPassword: { type: ["string", "null"], ...PASSWORD },
    },
    ["username"],
  ),
  Group: object(
    {
      id: text("The same as the name."),
      name: text("Unique name."),
      description: text("What the group is for."),
      creation_date: UNIX_SECONDS,
    },
    ["name", "creation_date"],
  ),
  GroupCreation: object(
    {
      id: { type: "string", minLength: 1, description: "Unique name, at most 1,024 bytes." },
      description: optionalText("What the group is for."),
    },
    ["id"],
  ),
  Credentials: object({ ...KEY_MEMBERS, ...TERM }, ["access_key_id", "creation_date"]),
  CredentialsWithSecret: object({
    ...KEY_MEMBERS,
    secret_access_key: text("The secret in clear."),
    user_id: { const: 0, deprecated: true, description: "Always 0; users have names." },
    user_name: text("Name of the user."),
  }),
};
