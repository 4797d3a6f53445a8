/** Registered properties of the user beside the condition fields of a request (security.md §3.4). */

import type { DecisionContext, FieldValue } from "../model/decision.ts";
import type { Properties } from "../model/entities.ts";
import { addProperties } from "./condition-fields.ts";
import type { RequestProperties } from "./evaluation-fields.ts";
import type { CachedPrincipal } from "./principal-cache.ts";

/** The fields of both; registered ones win unless told otherwise. The same context where nothing reads it. */
export function withRegistered(
  context: DecisionContext,
  user: CachedPrincipal,
  requestProperties: RequestProperties,
): DecisionContext {
  if (!user.policies.readsContext) return context;
  return withProperties(context, user.principal.properties, requestProperties);
}

/** As {@link withRegistered}, of a user of whom only the properties are known. */
export function withProperties(
  context: DecisionContext,
  properties: Properties,
  requestProperties: RequestProperties,
): DecisionContext {
  if (Object.keys(properties).length === 0) return context;
  const registered = new Map<string, FieldValue>();
  addProperties(registered, "subject.", properties);
  return requestProperties === "fill"
    ? new Map([...context, ...registered])
    : new Map([...registered, ...context]);
}
