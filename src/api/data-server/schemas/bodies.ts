/** Small bodies of the data-server API. */

import type { Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";

/** Schemas of the data-server API besides its entities and policies. */
export const BODY_SCHEMAS: Schemas = {
  PasswordUpdate: object({
    encryptedPassword: {
      type: "string",
      format: "byte",
      contentEncoding: "base64",
      description: "Opaque to this service.",
    },
  }),
  FriendlyNameUpdate: object({ friendly_name: text("Name to show.") }),
  ClaimTokenId: object({ token_id: text("Id of a one-time token."), expires_at: UNIX_SECONDS }),
};
