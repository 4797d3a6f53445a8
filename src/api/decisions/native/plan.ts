/** `POST /access/v1/plan`: the resources on which a user may act, as patterns and conditions (spec/decision-api §3). */

import type { Decisions } from "../../../decisions/decisions.ts";
import type { Plan } from "../../../decisions/searches.ts";
import { Turns } from "../../../schedule/turns.ts";
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

/** The answer, written in turns with other work: each of its conditions may be as long as a policy. */
async function planText({ conditional, ...plan }: Plan): Promise<string> {
  const turns = new Turns();
  const texts: string[] = [];
  for (const one of conditional) {
    texts.push(JSON.stringify(one));
    if (turns.spent) await turns.yield();
  }
  return `${JSON.stringify(plan).slice(0, -1)},"conditional":[${texts.join(",")}]}`;
}

/** Builds the handler. */
export function planHandler(decisions: Decisions) {
  return async (call: AnyCall): Promise<string> => {
    refuseQuery(call);
    const { context, ...question } = call.body as PlanBody;
    const request = { ...question, context: contextOf(context), asserter: call.caller };
    const { asserted, ...plan } = await decisions.searches.plan(request, call.signal);
    await recordSearch(decisions, call, "plan", { ...request, asserted }, []);
    return planText(plan);
  };
}
