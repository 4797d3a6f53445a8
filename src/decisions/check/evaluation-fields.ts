/** Condition fields of an AuthZEN request (decision-api.md §2.7). */

import type { ConditionFields, FieldValue } from "../../model/decision.ts";
import type { Properties } from "../../model/entities.ts";
import { addProperties, sourceIpOf } from "./condition-fields.ts";

/** Attributes of the entities of a request; a search lacks some entities. */
export interface RequestedProperties {
  readonly subject?: { readonly properties?: Properties };
  readonly action?: { readonly properties?: Properties };
  readonly resource?: { readonly properties?: Properties };
  readonly context?: Properties;
}

/** Name of the attribute of a subject that is a credential: no condition reads it, and no record has it. */
export const TOKEN_PROPERTY = "token";

/** The fields of a request alone. */
export function requestedFields({
  subject,
  action,
  resource,
  context,
}: RequestedProperties): ConditionFields {
  const fields = new Map<string, FieldValue>();
  addProperties(fields, "context.", context);
  addProperties(fields, "action.", action?.properties);
  addProperties(fields, "subject.", withoutToken(subject?.properties));
  addProperties(fields, "resource.", resource?.properties);
  const sourceIp = sourceIpOf(context);
  if (sourceIp !== undefined) fields.set("SourceIp", sourceIp);
  return fields;
}

/** The attributes of a subject without its token. */
export function withoutToken(properties: Properties | undefined): Properties | undefined {
  if (properties === undefined || !Object.hasOwn(properties, TOKEN_PROPERTY)) return properties;
  const { [TOKEN_PROPERTY]: _token, ...others } = properties;
  return others;
}
