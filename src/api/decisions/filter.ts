/** `POST /access/v1/filter` with a JSON body: which of many resources a user may act on (decision-api.md §3). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Problem } from "../../errors.ts";
import { invalidRequest } from "../../http/errors.ts";
import { Turns } from "../../schedule/turns.ts";
import type { ServiceCall } from "../service-caller.ts";
import { ItemReader, readHead } from "./filter-items.ts";
import type { DecisionLimits } from "./limits.ts";
import { type Field, FieldReader } from "./native-fields.ts";
import { refuseQuery } from "./query.ts";

const MAX_ITEMS = 100_000;
const MAX_PROBLEMS = 100;
const ITEMS_PER_LOOK = 256;

const OF_ARNS: ReadonlySet<string> = new Set(["user", "action", "resources", "context"]);
const OF_IDS: ReadonlySet<string> = new Set(["user", "action", "type", "ids", "context"]);
const OF_BOTH: ReadonlySet<string> = new Set([...OF_ARNS, ...OF_IDS]);

/** Builds the handler. */
export function filterHandler(decisions: Decisions, limits: DecisionLimits) {
  return async (call: ServiceCall): Promise<string> => {
    const { body } = call;
    refuseQuery(call);
    const reader = new FieldReader();
    const fields = reader.object({ value: body, pointer: "" }, OF_BOTH);
    if (fields.size === 0) reader.finish();
    const items = itemsOf(reader, fields);
    const head = readHead(reader, fields, limits);
    reader.finish();
    await decisions.typesRefreshed();
    const itemReader = new ItemReader(decisions, head, limits);
    const resources = await readItems(itemReader, items, `/${head.type === undefined ? "resources" : "ids"}`);
    const { user, context } = head;
    const { action } = itemReader;
    const { requestId } = call;
    const batch = decisions.log?.batch({ entrance: "filter", requestId, call });
    const allowed =
      action === undefined || resources === undefined
        ? []
        : await decisions.filter({ user, action, resources, context, requestId, batch, waiter: call });
    await batch?.end();
    return `{"allowed":[${allowed.join(",")}],"complete":true}`;
  };
}

/** The items of either form; the fields of the two forms do not mix. */
function itemsOf(reader: FieldReader, fields: ReadonlyMap<string, Field>): readonly unknown[] {
  const ofIds = fields.has("type") || fields.has("ids");
  if (ofIds && fields.has("resources")) {
    reader.problem("/resources", "not together with type and ids");
    return [];
  }
  if (ofIds && !fields.has("type")) reader.problem("/type", "required with ids");
  const name = ofIds ? "ids" : "resources";
  return reader.list(fields.get(name), `/${name}`, MAX_ITEMS);
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
