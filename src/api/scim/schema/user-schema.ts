/** The attributes of users (RFC 7643, sections 4.1 and 4.3). */

import { type Attribute, attribute, type ResourceKind, type ScimSchema } from "./attribute.ts";

/** URN of the schema of users. */
export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
/** URN of the extension for employees. */
export const ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** A list of values with a type, one of which may be the primary one. */
function plural(name: string, description: string, more: readonly Attribute[] = []): Attribute {
  return attribute(name, description, {
    multiValued: true,
    subAttributes: [
      attribute("value", "The value."),
      attribute("display", "The value for people."),
      attribute("type", "Kind of the value, such as work."),
      attribute("primary", "True for the preferred value.", { type: "boolean" }),
      ...more,
    ],
  });
}

const NAME: readonly Attribute[] = [
  attribute("formatted", "The whole name."),
  attribute("familyName", "Family name."),
  attribute("givenName", "Given name."),
  attribute("middleName", "Middle name."),
  attribute("honorificPrefix", "Title before the name."),
  attribute("honorificSuffix", "Title after the name."),
];

const ADDRESS: readonly Attribute[] = [
  attribute("formatted", "The whole address."),
  attribute("streetAddress", "Street and number."),
  attribute("locality", "City."),
  attribute("region", "State or region."),
  attribute("postalCode", "Postal code."),
  attribute("country", "Country."),
];

const GROUPS = attribute("groups", "The groups of the user; the resource Group changes them.", {
  multiValued: true,
  mutability: "readOnly",
  subAttributes: [
    attribute("value", "Id of the group.", { mutability: "readOnly", caseExact: true }),
    attribute("$ref", "Address of the group.", {
      type: "reference",
      referenceTypes: ["Group"],
      mutability: "readOnly",
      caseExact: true,
    }),
    attribute("display", "Name of the group.", { mutability: "readOnly" }),
    attribute("type", "Always direct.", { mutability: "readOnly", canonicalValues: ["direct"] }),
  ],
});

const USER: ScimSchema = {
  id: USER_SCHEMA,
  name: "User",
  description: "User account",
  attributes: [
    attribute(
      "userName",
      "Name of the user in decisions and policies, where letter case counts; no two differ in it only.",
      {
        required: true,
        uniqueness: "server",
      },
    ),
    attribute("name", "Parts of the name.", { subAttributes: NAME }),
    attribute("displayName", "Name to show."),
    attribute("nickName", "Casual name."),
    attribute("profileUrl", "Address of a page about the user.", {
      type: "reference",
      referenceTypes: ["external"],
    }),
    attribute("title", "Title, such as Vice President."),
    attribute("userType", "Relation to the organization, such as Contractor."),
    attribute("preferredLanguage", "Preferred language."),
    attribute("locale", "Locale for numbers and times."),
    attribute("timezone", "Time zone."),
    attribute("active", "False: the user can do nothing. It cannot be removed; a new user is active.", {
      type: "boolean",
      required: true,
    }),
    plural("emails", "E-mail addresses; the primary one, else the first, is the user's address."),
    plural("phoneNumbers", "Telephone numbers."),
    plural("ims", "Addresses of instant messages."),
    plural("addresses", "Postal addresses.", ADDRESS),
    plural("entitlements", "Entitlements; policies of this service do not follow from them."),
    plural("roles", "Roles; policies of this service do not follow from them."),
    GROUPS,
  ],
};

const ENTERPRISE: ScimSchema = {
  id: ENTERPRISE_SCHEMA,
  name: "EnterpriseUser",
  description: "Enterprise user",
  attributes: [
    attribute("employeeNumber", "Number of the employee."),
    attribute("costCenter", "Cost center."),
    attribute("organization", "Organization."),
    attribute("division", "Division."),
    attribute("department", "Department."),
    attribute("manager", "The user's manager.", {
      subAttributes: [
        attribute("value", "Id of the manager.", { caseExact: true }),
        attribute("$ref", "Address of the manager.", { type: "reference", referenceTypes: ["User"] }),
        attribute("displayName", "Name of the manager."),
      ],
    }),
  ],
};

/** Users. */
export const USERS: ResourceKind = {
  name: "User",
  endpoint: "/Users",
  description: "User account",
  core: USER,
  extension: ENTERPRISE,
};
