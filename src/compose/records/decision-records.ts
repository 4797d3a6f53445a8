/** The records of decisions for the management API. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { shortId } from "@svc-authorizer/policy/model/position.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { recordIdOf } from "@svc-authorizer/policy/records/record-ids.ts";
import type { DecisionRecords, RecordQuery } from "../../api/management/records/ports.ts";
import { explainRecord } from "../../decision-log/explain-record.ts";
import { covers, segments } from "../../decision-log/mask-pointers.ts";
import { principalAt } from "../../directory/read/principal-at.ts";
import { scheduler } from "../../schedule/scheduler.ts";
import type { DataParts } from "../data.ts";
import type { ServiceDecisionLog } from "./decision-log.ts";

/** Returns the records of a log. */
export function decisionRecords(
  { store, catalog }: Pick<DataParts, "store" | "catalog">,
  { index, settings }: Pick<ServiceDecisionLog, "index" | "settings">,
): DecisionRecords {
  return {
    node: settings.node,
    include: String(settings.include),
    page: (query, page) => index.page(query, page),
    get: (id) => index.get(recordIdOf(id)),
    since: (query, place) => index.since(query, place),
    masked: (query) => maskedBy(settings.mask, query),
    explain: async (text) => {
      const record = parseJsonText(text) as LoggedDecision;
      const policiesOf = async (revision: number, user: string, groups?: readonly string[]) =>
        (await principalAt(store.history, revision, user, groups))?.policies;
      for (const decided of [record, ...(record.items ?? [])]) await assertInLog(store, decided);
      try {
        const run = <T>(steps: Generator<unknown, T>): Promise<T> => scheduler.run(steps);
        return await explainRecord(record, { policiesOf, partition: catalog.partition, run });
      } catch (error) {
        if (!isErrorCode(error, "not_found")) throw error;
        const from = await store.history.keptFrom();
        const message = `the directory of revision ${record.revision} is no longer kept; history is kept from revision ${from} on`;
        throw new AuthorizerError("not_found", message, { cause: error });
      }
    },
  };
}

/** The members of records that filters ask for. */
const ASKED = { subject: "/subject/id", action: "/action", resource: "/resource/arn" } as const;

/** The filters of a question whose values are masked. */
function maskedBy(masks: readonly string[], query: RecordQuery): readonly string[] {
  return Object.entries(ASKED).flatMap(([name, place]) => {
    const isMasked = masks.some((mask) => mask.startsWith("/") && covers(segments(mask), segments(place)));
    return isMasked && query[name as keyof typeof ASKED] !== undefined ? [name] : [];
  });
}

/**
 * A database that was put back has given the number to another entry: its state is not the one that decided.
 * @throws AuthorizerError "not_found" for an entry that the log has lost
 */
async function assertInLog(
  store: Pick<DataParts["store"], "changes">,
  { revision, entry }: Partial<Pick<LoggedDecision, "revision" | "entry">>,
): Promise<void> {
  if (revision === undefined || entry === undefined) return;
  const [found] = (await store.changes(revision - 1, 1)) ?? [];
  if (found === undefined || shortId(found.id) === entry) return;
  const message = `the directory of revision ${revision} is no longer there: the database was put back to an earlier state, and entry ${entry} is lost`;
  throw new AuthorizerError("not_found", message);
}
