/** Finds the commits that a mirror lacks, and puts parents before their children. */

import { Turns } from "../schedule/turns.ts";
import { commitId } from "./commit-identity.ts";
import type { LoggedCommit } from "./logged-commit.ts";

/** Commits of one question about a log. */
const PAGE = 1_000;

/** Asks for a part of a log: `Source.log` of one repository. */
type AskLog = (commit: string, amount: number) => Promise<readonly LoggedCommit[] | undefined>;

/** Commits that were found, parents first. */
interface FoundCommits {
  readonly commits: readonly LoggedCommit[];
  /** Heads that the source does not know any more, and commits whose id is not that of their content, with their descendants. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Walks back from heads to commits that are known. A log is ordered by creation date and not by history, so a page that
 * ends says nothing about what is missing: the walk goes on from each parent that nothing has shown yet, until there is none.
 * @param isKnown true for a commit that is recorded, with all its ancestors
 */
export async function missingCommits(
  heads: Iterable<string>,
  isKnown: (commit: string) => boolean,
  ask: AskLog,
): Promise<FoundCommits> {
  const found = new Map<string, LoggedCommit>();
  const refused = new Set<string>();
  const frontier = new Set<string>();
  const want = (id: string): void => {
    if (!isKnown(id) && !found.has(id) && !refused.has(id)) frontier.add(id);
  };
  for (const head of heads) want(head);
  for (let [next] = frontier; next !== undefined; [next] = frontier) {
    const page = await ask(next, PAGE);
    for (const commit of page ?? []) {
      frontier.delete(commit.id);
      if (isKnown(commit.id) || found.has(commit.id)) continue;
      if (commitId(commit) === commit.id) found.set(commit.id, commit);
      else refused.add(commit.id);
    }
    // A commit that its own log does not show is not there.
    if (frontier.delete(next)) refused.add(next);
    for (const commit of page ?? [])
      if (found.has(commit.id)) for (const parent of commit.parents) want(parent);
  }
  return { commits: await parentsFirst(found, refused), refused };
}

/** The commits in an order in which parents come first; descendants of refused ones are refused, too. */
async function parentsFirst(
  found: ReadonlyMap<string, LoggedCommit>,
  refused: Set<string>,
): Promise<LoggedCommit[]> {
  const turns = new Turns();
  const ordered: LoggedCommit[] = [];
  const done = new Set<string>();
  for (const start of found.keys()) {
    const way = [start];
    for (let id = way.at(-1); id !== undefined; id = way.at(-1)) {
      if (turns.spent) await turns.yield();
      const commit = found.get(id);
      const open = done.has(id)
        ? []
        : (commit?.parents ?? []).filter((one) => found.has(one) && !done.has(one));
      if (open.length > 0) {
        way.push(...open);
        continue;
      }
      way.pop();
      if (commit === undefined || done.has(id)) continue;
      done.add(id);
      if (commit.parents.some((one) => refused.has(one))) refused.add(id);
      else ordered.push(commit);
    }
  }
  return ordered;
}
