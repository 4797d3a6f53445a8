/** `POST /access/v1/plan`: the resources on which a user may act, as patterns and conditions (decision-api.md §3). */

import type { Decisions } from "../../../decisions/decisions.ts";
import type { AnyCall } from "../any-call.ts";
import { refuseQuery } from "../query.ts";
import { recordSearch } from "../search/search-record.ts";
import { contextOf } from "./native-fields.ts";

interface PlanBody {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly token?: string;
  readonly action: string;
  readonly type?: string;
  readonly context?: unknown;
}

/** Builds the handler. */
export function planHandler(decisions: Decisions) {
  return async (call: AnyCall): Promise<string> => {
    refuseQuery(call);
    const { context, ...question } = call.body as PlanBody;
    const request = { ...question, context: contextOf(context), asserter: call.caller };
    const plan = await decisions.searches.plan(request, call.signal);
    await recordSearch(decisions, call, "plan", request, []);
    return JSON.stringify(plan);
  };
}
