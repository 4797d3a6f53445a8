/** `POST /access/v1/filter` with a JSON body: which of many resources a user may act on (spec/decision-api §3). */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import { isObject } from "../../../http/body/json-body.ts";
import { invalidRequest } from "../../../http/errors.ts";
import { Turns } from "../../../schedule/turns.ts";
import type { ServiceCall } from "../../service-caller.ts";
import type { DecisionLimits } from "../limits.ts";
import { refuseQuery } from "../query.ts";
import { type FilterHeadBody, headOf, ItemReader } from "./filter-items.ts";

const MAX_PROBLEMS = 100;
const ITEMS_PER_LOOK = 256;

/** A body that was checked: ARNs in `resources`, or ids of a type. */
interface FilterBody extends FilterHeadBody {
  readonly resources?: readonly unknown[];
  readonly ids?: readonly unknown[];
}

/** Returns the schema of a body: the fields of the two forms do not mix. */
export function filterForm(body: unknown): string {
  const ofIds = isObject(body) && (Object.hasOwn(body, "type") || Object.hasOwn(body, "ids"));
  return ofIds ? "FilterOfIds" : "FilterOfArns";
}

/** Builds the handler. */
export function filterHandler(decisions: Decisions, limits: DecisionLimits) {
  return async (call: ServiceCall): Promise<string> => {
    refuseQuery(call);
    const body = call.body as FilterBody;
    const head = headOf(body);
    const items = body.ids ?? body.resources ?? [];
    await decisions.typesRefreshed();
    const itemReader = new ItemReader(decisions, head, limits);
    const resources = await readItems(itemReader, items, `/${head.type === undefined ? "resources" : "ids"}`);
    const { user, groups, token, context } = head;
    const { action } = itemReader;
    const { requestId, caller: asserter } = call;
    const asked = { user, action: action ?? head.action, context };
    const batch = decisions.log?.batch({ entrance: "filter", requestId, call, asked });
    // They were read, so that they are texts.
    const named = head.type !== undefined && { named: { type: head.type, ids: items as readonly string[] } };
    const allowed =
      action === undefined || resources === undefined
        ? []
        : await decisions.filter({
            user,
            ...(groups && { groups }),
            token,
            asserter,
            action,
            resources,
            ...named,
            context,
            requestId,
            batch,
            waiter: call,
          });
    await batch?.end();
    return `{"allowed":[${allowed.join(",")}],"complete":true}`;
  };
}

/** The resources, or undefined when the type of the items is not known, so that none can be allowed. */
async function readItems(
  itemReader: ItemReader,
  items: readonly unknown[],
  pointer: string,
): Promise<readonly string[] | undefined> {
  const turns = new Turns();
  const resources: string[] = [];
  const problems: Problem[] = [];
  let known = true;
  for (const [index, item] of items.entries()) {
    const resource = itemReader.read(item);
    if (typeof resource === "string") resources.push(resource);
    else if (resource === undefined) known = false;
    else if (problems.push({ pointer: `${pointer}/${index}`, ...resource }) === MAX_PROBLEMS) break;
    if (index % ITEMS_PER_LOOK === 0 && turns.spent) await turns.yield();
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return known ? resources : undefined;
}
