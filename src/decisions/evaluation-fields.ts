/** Condition fields of an AuthZEN request (decision-api.md §2, "From AuthZEN to policies"; security.md §3.4). */

import type { DecisionContext, FieldValue } from "../model/decision.ts";
import type { Properties } from "../model/entities.ts";
import { addProperties, sourceIpOf } from "./condition-fields.ts";

/** Which attributes win where both the directory and the request have one (`authorizer.request_properties`). */
export type RequestProperties = "fill" | "override";

/** Attributes of the entities of a request; a search lacks some entities. */
export interface RequestedProperties {
  readonly subject?: { readonly properties?: Properties };
  readonly action?: { readonly properties?: Properties };
  readonly resource?: { readonly properties?: Properties };
  readonly context?: Properties;
}

/** Attributes that the directory has. */
export interface RegisteredProperties {
  readonly subject?: Properties;
  readonly resource?: Properties | undefined;
}

/** The fields of a request: registered properties win and the request fills gaps, unless told otherwise. */
export function evaluationFields(
  { subject, action, resource, context }: RequestedProperties,
  registered: RegisteredProperties,
  requestProperties: RequestProperties,
): DecisionContext {
  const fields = new Map<string, FieldValue>();
  addProperties(fields, "context.", context);
  addProperties(fields, "action.", action?.properties);
  const requested = (): void => {
    addProperties(fields, "subject.", subject?.properties);
    addProperties(fields, "resource.", resource?.properties);
  };
  if (requestProperties === "fill") requested();
  addProperties(fields, "subject.", registered.subject);
  addProperties(fields, "resource.", registered.resource);
  if (requestProperties === "override") requested();
  const sourceIp = sourceIpOf(context);
  if (sourceIp !== undefined) fields.set("SourceIp", sourceIp);
  return fields;
}
