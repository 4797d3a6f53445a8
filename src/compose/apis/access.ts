/** Questions about access and its use, answered in a thread from one state of the directory. */

import type { AccessQuestions } from "../../api/management/access/ports.ts";
import { limitsOf } from "../../config/limits.ts";
import { imageText, subjectText, useText } from "../../insight/access-review/access-texts.ts";
import { AccessThread } from "../../insight/access-review/access-thread.ts";
import { changesSince } from "../../insight/access-review/review/changes-since.ts";
import { readableRecords } from "../../insight/access-review/suggest/readable-records.ts";
import { readUnused } from "../../insight/access-review/unused/read-unused.ts";
import type { OpenedUsage } from "../../usage/open-usage.ts";
import type { DataParts } from "../data.ts";
import { nodeName, type ServiceDecisionLog } from "../records/decision-log.ts";

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
    unused: (question) => readUnused({ directory, catalog }, usage, question),
    suggest: async (caller, request, signal) => {
      const { index, node, share, recordedSince } = await readableRecords(decisionLog);
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
        recordedSince,
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
