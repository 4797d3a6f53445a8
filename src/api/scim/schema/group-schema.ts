/** The attributes of groups (RFC 7643, section 4.2). */

import { attribute, type ResourceKind } from "./attribute.ts";

/** URN of the schema of groups. */
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** Groups. */
export const GROUPS: ResourceKind = {
  name: "Group",
  endpoint: "/Groups",
  description: "Group",
  core: {
    id: GROUP_SCHEMA,
    name: "Group",
    description: "Group of users",
    attributes: [
      attribute("displayName", "Name of the group, to which policies are attached; letter case counts.", {
        required: true,
        caseExact: true,
        uniqueness: "server",
      }),
      attribute("members", "The users in the group.", {
        multiValued: true,
        subAttributes: [
          attribute("value", "Id of the user.", { mutability: "immutable", caseExact: true }),
          attribute("$ref", "Address of the user.", {
            type: "reference",
            referenceTypes: ["User"],
            mutability: "immutable",
            caseExact: true,
          }),
          attribute("display", "Name of the user.", { mutability: "readOnly" }),
          attribute("type", "Always User.", { mutability: "immutable", canonicalValues: ["User"] }),
        ],
      }),
    ],
  },
};
