/** Users as SCIM resources, and back (spec/scim §4). Attributes without a place of their own are properties below `scim`. */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { ProvisionedFields, ProvisionedRef, ProvisionedUser } from "../../directory/provisioning.ts";
import { isObject } from "../../http/body/json-body.ts";
import type { Attributes } from "./read-values.ts";
import { ENTERPRISE_SCHEMA, USER_SCHEMA, USERS } from "./schema/user-schema.ts";

/** Name of the property with the attributes that identity providers send. */
const KEPT = "scim";
/** Name of the attributes of employees in there: a URN is no name that a condition can write. */
const ENTERPRISE = "enterprise";

/** The attributes of a user that can be changed, as a client would send them. */
export function attributesOf(user: ProvisionedUser): Attributes {
  const kept = keptOf(user.properties);
  const { [ENTERPRISE]: enterprise, ...attributes } = kept;
  const emails = emailsOf(user.email, attributes["emails"]);
  return {
    ...attributes,
    userName: user.username,
    ...(user.external_id !== undefined && { externalId: user.external_id }),
    ...(user.friendly_name !== undefined && { displayName: user.friendly_name }),
    active: user.inactive !== true,
    ...(emails !== undefined && { emails }),
    ...(enterprise !== undefined && { [ENTERPRISE_SCHEMA]: enterprise }),
  };
}

/** The whole resource. */
export function userResource(
  user: ProvisionedUser,
  groups: readonly ProvisionedRef[] | undefined,
  base: string,
): Attributes {
  const attributes = attributesOf(user);
  const extended = attributes[ENTERPRISE_SCHEMA] === undefined ? [] : [ENTERPRISE_SCHEMA];
  const shown = (groups ?? []).map(({ id, name }) => {
    return { value: id, $ref: `${base}/Groups/${id}`, display: name, type: "direct" };
  });
  return {
    schemas: [USER_SCHEMA, ...extended],
    id: user.id,
    ...attributes,
    ...(shown.length > 0 && { groups: shown }),
    meta: metaOf("User", user, `${base}${USERS.endpoint}`),
  };
}

/** 9999-12-31T23:59:59Z: clients read no date behind it. */
const LAST_SECOND = 253_402_300_799;

/** The common `meta` of resources, without a time where the stored one is no date (a data set may say microseconds). */
export function metaOf(
  resourceType: string,
  { id, creation_date }: { readonly id: string; readonly creation_date: number },
  endpoint: string,
): Attributes {
  return {
    resourceType,
    ...(creation_date <= LAST_SECOND && { created: new Date(creation_date * 1_000).toISOString() }),
    location: `${endpoint}/${id}`,
  };
}

/**
 * The fields of a user with these attributes.
 * @param before the user as it is, whose other properties stay
 */
export function fieldsOf(attributes: Attributes, before: ProvisionedUser | undefined): ProvisionedFields {
  const { userName, externalId, displayName, active, [ENTERPRISE_SCHEMA]: enterprise, ...rest } = attributes;
  const email = primaryOf(rest["emails"]);
  const { [KEPT]: _kept, ...properties } = before?.properties ?? {};
  const kept = { ...rest, ...(enterprise !== undefined && { [ENTERPRISE]: enterprise }) };
  const all = { ...properties, ...(Object.keys(kept).length > 0 && { [KEPT]: kept as Properties }) };
  return {
    username: userName as string,
    ...(externalId !== undefined && { external_id: externalId as string }),
    ...(displayName !== undefined && { friendly_name: displayName as string }),
    ...(email !== undefined && { email }),
    // Who does not say so leaves an inactive user inactive.
    ...((active === undefined ? before?.inactive === true : active === false) && { inactive: true }),
    ...(Object.keys(all).length > 0 && { properties: all }),
  };
}

function keptOf(properties: Properties | undefined): Record<string, unknown> {
  const kept = properties?.[KEPT];
  return isObject(kept) ? { ...kept } : {};
}

/** The address of the directory counts, where somebody has changed it there. */
function emailsOf(email: string | undefined, kept: unknown): unknown {
  const list = Array.isArray(kept) ? kept : [];
  if (list.length > 0 && primaryOf(list) === email) return list;
  return email === undefined ? undefined : [{ value: email, type: "work", primary: true }];
}

function primaryOf(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) return undefined;
  const values = emails.filter((one) => isObject(one) && typeof one["value"] === "string");
  const chosen = values.find((one) => one.primary === true) ?? values[0];
  return chosen?.value as string | undefined;
}
