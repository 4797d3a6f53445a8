/** Pages of access that is not used, read from one state of the directory and the counts of use. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { Survey } from "../../../directory/directory.ts";
import type { OpenedDirectory } from "../../../directory/open-directory.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import type { Pause } from "../../../schedule/pace.ts";
import type { OpenedUsage } from "../../../usage/open-usage.ts";
import type { AccessInUse, UnusedQuestion } from "./unused-access.ts";
import { unusedPage } from "./unused-page.ts";

/** The state in which access is looked for. */
interface SearchedAccess {
  readonly directory: OpenedDirectory;
  readonly catalog: Catalog;
}

const SERVED =
  "data servers read effective policies and decided by themselves: groups, policies, statements and actions that they used are named too";

/** A page of access that nobody used. Times are RFC 3339. */
interface UnusedRead {
  readonly entries: readonly unknown[];
  /** "" on the last page. */
  readonly next: string;
  readonly since: string;
  /** Since when use is counted; absent where it is not known. */
  readonly counted_since?: string;
  /** Revision of the directory. */
  readonly revision: number;
  readonly nodes: readonly { readonly node: string; readonly counted_since: string }[];
  readonly warnings: readonly string[];
}

/** Returns a page, made in slices. */
export async function readUnused(
  { directory, catalog }: SearchedAccess,
  usage: OpenedUsage,
  question: UnusedQuestion,
): Promise<UnusedRead> {
  await usage.flush();
  const pause = bulkPause();
  const actions = [...catalog.actions.keys()];
  const { revision, entries, next } = await directory.survey(async (survey) => {
    const page = await unusedPage(inUse(survey, usage, actions, pause), question);
    return { revision: survey.revision, ...page };
  }, pause);
  const nodes = usage.nodes();
  const counted = usage.countedSince();
  const isShort = counted === undefined || counted > question.since;
  return {
    entries,
    next,
    since: timeText(question.since),
    ...(counted !== undefined && { counted_since: timeText(counted) }),
    revision,
    nodes: nodes.map(({ node, at, missed = at }) => {
      return { node, counted_since: timeText(Math.max(at, missed)) };
    }),
    warnings: [
      ...(isShort ? [uncounted(counted)] : []),
      ...usage.doubts(),
      ...(usage.has("served") ? [SERVED] : []),
    ],
  };
}

function inUse(survey: Survey, usage: OpenedUsage, actions: readonly string[], pause: Pause): AccessInUse {
  return {
    actions,
    pause,
    userPart: (range) => survey.userPart(range),
    keyPart: (range) => survey.keyPart(range),
    groupPart: (range) => survey.groupPart(range),
    policyPart: (range) => survey.policyPart(range),
    policy: (name) => survey.policy(name),
    members: async (group) => {
      const pages = await survey.members(group);
      return pages && slowly(pages, pause);
    },
    attachments: (policy) => slowly(survey.attachments(policy), pause),
    usageOf: async (kind, names) => {
      await pause();
      return usage.rowsOf(kind, names);
    },
    usageOfPolicy: (name) => slowly(usage.ofPolicy(name), pause),
  };
}

async function* slowly<T>(pages: AsyncIterable<T> | Iterable<T>, pause: Pause): AsyncGenerator<T> {
  await pause();
  for await (const page of pages) {
    yield page;
    await pause();
  }
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** Says from when on use is known, so that what was used before is not taken for unused. */
function uncounted(since: number | undefined): string {
  if (since === undefined) return "Usage has not been recorded yet. Everything appears as unused.";
  const day = new Date(since).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  return `Usage has been recorded only since ${day}. Anything last used before that appears as unused.`;
}
