/** Implements `svc-authorizer import`: copies everything of a running data-server API in one batch. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import { importedMark } from "../../bootstrap/imported-mark.ts";
import { auditingUnknownOnce, auditOnce, openOfflineDataAfter } from "../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { BatchOperation, OperationList } from "../../directory/batch.ts";
import { countEntities, type EntityCounts } from "../../directory/read/count-entities.ts";
import { foreignPartitions } from "./foreign-partitions.ts";
import {
  operationsOf,
  type ReadOptions,
  type RemoteContent,
  type RemoteCounts,
  readRemote,
} from "./read-remote.ts";
import { RemoteApi } from "./remote-api.ts";

/** Arguments of `import`. */
interface ImportOptions {
  readonly from: string;
  readonly token: string | undefined;
  /** Variable of the token, for messages. */
  readonly tokenEnv: string;
  readonly secrets: boolean;
  readonly merge: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

type Streams = Pick<ProcessEdge, "stdout" | "stderr">;

const PROGRESS_INTERVAL_MS = 2_000;

function progressTo({ stderr }: Streams) {
  let lastReport = Date.now();
  return (what: string, done: number, total: number): void => {
    if (Date.now() - lastReport < PROGRESS_INTERVAL_MS) return;
    lastReport = Date.now();
    stderr.write(`${what}: ${done} of ${total}\n`);
  };
}

/** Copies and reports. Answers the exit code; throws AuthorizerError, with the store unchanged, where it cannot be done. */
export async function runImport(
  values: ConfigValues,
  options: ImportOptions,
  edge: Streams,
): Promise<number> {
  const { from, token, tokenEnv, secrets, merge, dryRun, json } = options;
  if (!token) throw new AuthorizerError("invalid_request", `the variable ${tokenEnv} is not set`);
  const api = new RemoteApi({ base: from, token });
  const onProgress = progressTo(edge);
  const {
    data,
    found: { isEmpty, content },
  } = await openOfflineDataAfter(values, async (store) => ({
    isEmpty: assertTakesContent(await countEntities(store), merge),
    content: await readContent(api, values["authorizer.partition"], { secrets, onProgress }),
  }));
  try {
    if (!dryRun) {
      const operations = operationsOf(content);
      const asked = { what: "import", from };
      await auditingUnknownOnce(values, "write", asked, () =>
        data.directory.batches
          .apply(operations, {
            managed: false,
            // Reading takes minutes, in which a node of the same database may write.
            intoEmpty: isEmpty,
            // What an earlier bootstrap knows of a store stays true of it.
            ...(isEmpty ? { mark: importedMark(data.catalog, values, content) } : {}),
            onProgress: (done, total) => onProgress("applied", done, total),
          })
          .catch((error: unknown) => {
            throw namingOperations(error, operations);
          }),
      );
      await auditOnce(values, "write", { ...asked, ...content.counts });
    }
    report(content.counts, content.missing, options, edge, json);
    return EXIT.ok;
  } finally {
    await data.close();
  }
}

/** Returns whether the store is empty. Throws "invalid_request" where it is not, unless it is to be added to. */
function assertTakesContent({ users, groups, policies }: EntityCounts, merge: boolean): boolean {
  const isEmpty = users + groups + policies === 0;
  if (merge || isEmpty) return isEmpty;
  const message = `the store has ${users} users, ${groups} groups and ${policies} policies: empty it first (svc-authorizer reset --yes), or --merge to add to them`;
  throw new AuthorizerError("invalid_request", message);
}

/** Reads everything from the API. Throws "invalid_request" where its policies are of another partition. */
async function readContent(api: RemoteApi, partition: string, options: ReadOptions): Promise<RemoteContent> {
  const content = await readRemote(api, options);
  assertPartition(foreignPartitions(content.policies, partition), partition);
  return content;
}

function assertPartition(foreign: ReadonlyMap<string, string>, partition: string): void {
  const [first] = foreign;
  if (first === undefined) return;
  const [other, policy] = first;
  const message = `policy ${JSON.stringify(policy)} has ARNs of partition ${other}, this service has ${partition}: they would match nothing; run with --authorizer.partition ${other}`;
  throw new AuthorizerError("invalid_request", message);
}

function nameOf(operation: BatchOperation): string {
  switch (operation.op) {
    case "put_user":
      return `user ${JSON.stringify(operation.user.username)}`;
    case "put_policy":
      return `policy ${JSON.stringify(operation.policy.name)}`;
    case "put_group":
      return `group ${JSON.stringify(operation.name)}`;
    case "put_credential":
      return `access key ${JSON.stringify(operation.access_key_id)}`;
    default:
      return "username" in operation
        ? `user ${JSON.stringify(operation.username)}`
        : `group ${JSON.stringify("group" in operation ? operation.group : "")}`;
  }
}

/** The failure of a batch with names in place of indexes of operations. */
function namingOperations(error: unknown, operations: OperationList): unknown {
  if (!(error instanceof AuthorizerError) || error.problems.length === 0) return error;
  const indexOf = (pointer: string): number => Number(pointer.split("/")[1]);
  const names = new Map(error.problems.map(({ pointer }) => [indexOf(pointer), ""]));
  let index = 0;
  for (const operation of operations) {
    if (names.has(index)) names.set(index, nameOf(operation));
    index += 1;
  }
  const problems: Problem[] = error.problems.map(({ pointer, message }) => {
    const [, , ...rest] = pointer.split("/");
    const field = rest.length === 0 ? "" : ` /${rest.join("/")}`;
    return { pointer: "", message: `${names.get(indexOf(pointer))}${field}: ${message}` };
  });
  const message = `${problems.length} of ${operations.length} things cannot be imported, nothing was; names that strict guards refuse pass with --authorizer.guards lenient`;
  return new AuthorizerError(error.code, message, { problems, cause: error });
}

function report(
  counts: RemoteCounts,
  missing: readonly string[],
  { from, dryRun }: ImportOptions,
  { stdout, stderr }: Streams,
  json: boolean,
): void {
  if (json) {
    stdout.write(`${JSON.stringify({ from, dry_run: dryRun, counts, not_served: missing })}\n`);
    return;
  }
  for (const what of missing) stderr.write(`the API does not serve ${what}: none were copied\n`);
  const shown = Object.entries(counts).filter(([what, count]) => count > 0 || what === "users");
  const text = shown.map(([what, count]) => `${count} ${what.replaceAll("_", " ")}`).join(", ");
  stdout.write(`${dryRun ? "would import" : "imported"} ${text}\n`);
}
