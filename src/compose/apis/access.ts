/** Questions about access and its use, answered in a thread from one state of the directory. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { ReviewedChange } from "@svc-authorizer/policy/records/review/review.ts";
import type { AccessQuestions } from "../../api/management/access/ports.ts";
import { limitsOf } from "../../config/limits.ts";
import { indexFile } from "../../decision-log/index/index-file.ts";
import type { DirectoryHistory } from "../../directory/history.ts";
import type { ReviewJob } from "../../insight/access-review/access-jobs.ts";
import { AccessThread } from "../../insight/access-review/access-thread.ts";
import type { CommittedChange } from "../../store/port.ts";
import type { OpenedUsage } from "../../usage/open-usage.ts";
import type { DataParts } from "../data.ts";
import { nodeName, type ServiceDecisionLog } from "../records/decision-log.ts";
import { imageText, subjectText, useText } from "./access-texts.ts";
import { unusedAccess } from "./unused-access.ts";

/** The port of the management API, with a thread that starts when it is first needed. */
export interface ServiceAccess extends AccessQuestions {
  close(): Promise<void>;
}

/** Opens the questions; undefined where use is not counted. */
export function openAccess(
  { directory, catalog, values }: Pick<DataParts, "directory" | "catalog" | "values">,
  usage: OpenedUsage | undefined,
  decisionLog: ServiceDecisionLog | undefined,
): ServiceAccess | undefined {
  if (usage === undefined) return undefined;
  const thread = new AccessThread({ partition: catalog.partition });
  return {
    unused: (question) => unusedAccess({ directory, catalog }, usage, question),
    suggest: async (caller, request, signal) => {
      const { index, node, share } = await readableRecords(decisionLog);
      if (request.user !== undefined) await directory.users.get(request.user);
      else await directory.groups.get(request.group ?? "");
      const otherNodes = usage.nodes().flatMap((one) => (one.node === node ? [] : [one.node]));
      const { policyBytes } = limitsOf(values);
      const job = {
        kind: "suggest",
        subject: await subjectText(directory, request),
        ...request,
        index,
        node,
        otherNodes,
        share,
        policyBytes,
      } as const;
      return thread.run(caller, job, signal);
    },
    review: async (caller, since, signal) => {
      const changes = await changesSince(directory.history, since);
      const node = nodeName(values);
      const image = await imageText(directory);
      const use = await useText(usage);
      const job = { kind: "review", image, use, now: Date.now(), since, node, ...changes } as const;
      return thread.run(caller, job, signal);
    },
    close: () => thread.close(),
  };
}

/** Most changes of a review, and most that are read for it. */
const MOST_CHANGES = 1_000;
const MOST_ENTRIES = 20_000;
const ENTRIES_PER_READ = 500;
const FIRST_REVISION = 1;

/** Changes since a time, newest first. */
async function changesSince(
  history: DirectoryHistory,
  since: number,
): Promise<Pick<ReviewJob, "changes" | "moreChanges" | "changesLost">> {
  const found: ReviewedChange[] = [];
  let after: number;
  let changesLost = false;
  try {
    after = await history.revisionAt(new Date(since));
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
    const oldest = await history.keptFrom();
    changesLost = oldest > FIRST_REVISION;
    after = changesLost ? oldest : 0;
  }
  for (let read = 0; read < MOST_ENTRIES; ) {
    const entries = await history.entries(after, ENTRIES_PER_READ);
    if (entries === undefined || entries.length === 0) break;
    found.push(...entries.flatMap(changeOf));
    read += entries.length;
    after = entries.at(-1)?.revision ?? after;
  }
  const changes = found.reverse().slice(0, MOST_CHANGES);
  return {
    changes,
    moreChanges: found.length > changes.length || after < history.head.revision,
    changesLost,
  };
}

/** The change of an entry; none where it touched no user, group or policy. */
function changeOf({ revision, at, useCases }: CommittedChange): readonly ReviewedChange[] {
  const named = (kind: "users" | "groups" | "policies") => [
    ...new Set(useCases.flatMap(({ touched }) => touched?.[kind] ?? [])),
  ];
  const [users, groups, policies] = [named("users"), named("groups"), named("policies")];
  if (users.length + groups.length + policies.length === 0) return [];
  const actors = [...new Set(useCases.flatMap(({ actor }) => actor ?? []))];
  return [{ revision, at, actors, users, groups, policies }];
}

/** Parts of records without which nobody can learn from them. */
const NEEDED_PARTS =
  /^\/(\*|subject(\/id|\/\*)?|resource(\/.*)?|action|required(\/.*)?|items(\/.*)?|entrance)$/;

/**
 * The index of records, which has all that was recorded until now.
 * @throws AuthorizerError "invalid_request" where allowed decisions are not recorded, or not readable
 */
async function readableRecords(
  decisionLog: ServiceDecisionLog | undefined,
): Promise<{ readonly index: string; readonly node: string; readonly share: number | undefined }> {
  const { include = "none", mask = [] } = decisionLog?.settings ?? {};
  if (decisionLog === undefined || include === "none" || include === "denied") {
    const message = `allowed decisions are not recorded (authorizer.decision_log.include is ${include}); set it to all`;
    throw new AuthorizerError("invalid_request", message);
  }
  const hidden = mask.find((one) => NEEDED_PARTS.test(one));
  if (hidden !== undefined) {
    const message = `records do not say what was used: authorizer.decision_log.mask hides ${hidden}`;
    throw new AuthorizerError("invalid_request", message);
  }
  const { directory, node, worker } = decisionLog.settings;
  // The answer is of no interest: before it, the index reads all that was recorded.
  await decisionLog.index.since({}, undefined);
  const share = typeof include === "number" ? include : undefined;
  return { index: indexFile(directory, node, worker), node, share };
}
