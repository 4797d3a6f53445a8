/** The documents in which a SCIM service describes itself (RFC 7644, section 4, RFC 7643, sections 5 and 7). */

import type { ResourceKind, ScimSchema } from "./attribute.ts";
import { GROUPS } from "./group-schema.ts";
import { USERS } from "./user-schema.ts";

/** Most resources of a page. */
export const MOST_RESULTS = 1_000;

const CONFIG_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";
const TYPE_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";
const SCHEMA_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Schema";

/** Path of the API. */
export const SCIM_PATH = "/scim/v2";

/** A document of one resource or definition. */
export type Document = Readonly<Record<string, unknown>>;

/** The features of the service. */
export function serviceProviderConfig(base: string): Document {
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "A token of authorizer.tokens with the scope scim, in the header Authorization.",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

/** The kinds of resources. */
export function resourceTypes(base: string): readonly Document[] {
  return [USERS, GROUPS].map((kind) => resourceType(base, kind));
}

function resourceType(
  base: string,
  { name, endpoint, description, core, extension }: ResourceKind,
): Document {
  return {
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    endpoint,
    description,
    schema: core.id,
    schemaExtensions: extension === undefined ? [] : [{ schema: extension.id, required: false }],
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  };
}

/** The schemas of the kinds. */
export function schemas(base: string): readonly Document[] {
  const all = [USERS, GROUPS].flatMap(({ core, extension }): ScimSchema[] => [
    core,
    ...(extension === undefined ? [] : [extension]),
  ]);
  return all.map((schema) => ({
    schemas: [SCHEMA_SCHEMA],
    ...schema,
    meta: { resourceType: "Schema", location: `${base}/Schemas/${schema.id}` },
  }));
}
