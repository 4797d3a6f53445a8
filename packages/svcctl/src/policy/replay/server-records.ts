/** Records and directories of a server, for a replay. */

import { type PolicyDocument, readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { openApi } from "../../api/api-client.ts";
import { answerTo } from "../../api/operation.ts";
import { eachAnswer } from "../../api/pages.ts";
import type { CommandContext } from "../../command-context.ts";
import { printLostRecords, printMissingNodes } from "../../output/missing-records.ts";

/** Records of one page: the most that servers give. */
const PAGE = { first: 1_000, largest: 1_000 };
/** A directory of many users takes its time. */
const TIMEOUT_MS = 150_000;

/**
 * Yields the records that the server has, newest first, and says which it does not have: those of other nodes, and lost ones.
 * Throws ApiFailure.
 */
export async function* serverRecords(
  context: CommandContext,
  range: { readonly since?: string; readonly until?: string },
): AsyncGenerator<LoggedDecision> {
  const api = openApi(context, TIMEOUT_MS);
  const ask = (after: string | undefined, amount: number) =>
    answerTo(api, "GET /decisions", { query: { ...range, ...(after !== undefined && { after }), amount } });
  let isFirst = true;
  for await (const answer of eachAnswer(ask, PAGE)) {
    if (isFirst) {
      printMissingNodes(context, { ...answer });
      printLostRecords(context, { ...answer });
    }
    isFirst = false;
    yield* answer.results;
  }
}

/** Returns who held what at a revision of the server's directory. Throws ApiFailure. */
export async function directoryAt(
  context: CommandContext,
  revision: string,
): Promise<readonly PolicyDocument[]> {
  const path = ["auth", "access", "directory"];
  const api = openApi(context, TIMEOUT_MS);
  const value = await api.fetchObject({ method: "GET", path, query: { revision }, expect: 200 });
  return [readPolicies({ file: `revision ${revision}`, value, locate: () => new Map() }, "policy")];
}
