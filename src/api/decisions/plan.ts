/** `POST /access/v1/plan`: what a user may act on, as patterns and conditions (decision-api.md §3). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { ServiceCall } from "../service-caller.ts";
import type { DecisionLimits } from "./limits.ts";
import { FieldReader } from "./native-fields.ts";
import { refuseQuery } from "./query.ts";
import { recordSearch } from "./search-record.ts";

const FIELDS: ReadonlySet<string> = new Set(["user", "action", "type", "context"]);

/** Builds the handler. */
export function planHandler(decisions: Decisions, limits: DecisionLimits) {
  return async (call: ServiceCall): Promise<string> => {
    const { body } = call;
    refuseQuery(call);
    const reader = new FieldReader();
    const fields = reader.object({ value: body, pointer: "" }, FIELDS);
    if (fields.size === 0) reader.finish();
    const type = fields.get("type");
    const request = {
      user: reader.text(fields.get("user"), "/user"),
      action: reader.text(fields.get("action"), "/action", limits.actionBytes),
      ...(type === undefined ? {} : { type: reader.text(type, "/type") }),
      context: reader.context(fields.get("context")),
    };
    reader.finish();
    const plan = await decisions.searches.plan(request, call.signal);
    await recordSearch(decisions, call, "plan", request, []);
    return JSON.stringify(plan);
  };
}
