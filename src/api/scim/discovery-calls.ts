/** The calls that describe the service (RFC 7644, section 4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { listReply } from "./lists.ts";
import { baseOf, type ScimCall, type ScimParts, scimReply } from "./parts.ts";
import { type Document, resourceTypes, schemas } from "./schema/discovery.ts";

/** Answers with one document, or with all of a list. */
export function describeService(documents: (base: string) => Document | readonly Document[]) {
  return (parts: ScimParts) =>
    ({ query }: ScimCall) => {
      if (query.get("filter") !== undefined) {
        throw new AuthorizerError("not_allowed", "descriptions of the service cannot be filtered");
      }
      const found = documents(baseOf(parts));
      if (!Array.isArray(found)) return scimReply(200, found as Document);
      return listReply(found as readonly Document[], { total: found.length, startIndex: 1 });
    };
}

/** Answers with one kind of resources. */
export function oneType(parts: ScimParts) {
  return ({ params: [name] }: ScimCall) => one(resourceTypes(baseOf(parts)), name);
}

/** Answers with one schema. */
export function oneSchema(parts: ScimParts) {
  return ({ params: [id] }: ScimCall) => one(schemas(baseOf(parts)), id);
}

function one(documents: readonly Document[], id: string | undefined) {
  const found = documents.find((document) => document["id"] === id);
  if (found === undefined) throw new AuthorizerError("not_found", "the service has no such description");
  return scimReply(200, found);
}
