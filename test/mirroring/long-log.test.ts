/** The log of a large repository is put in order beside the other work of the process. */

import { expect, it } from "vitest";
import { commitId } from "../../src/mirroring/commit-identity.ts";
import { missingCommits } from "../../src/mirroring/log-copy.ts";
import type { LoggedCommit } from "../../src/mirroring/logged-commit.ts";

const COMMITS = 60_000;

it("60,000 commits are put in order in many turns", async () => {
  const all: LoggedCommit[] = [];
  for (let at = 0; at < COMMITS; at += 1) {
    const facts = {
      committer: "writer",
      message: `commit ${at}`,
      metaRangeId: "m",
      creationDate: 1_700_000_000 + at,
      parents: all.slice(-1).map(({ id }) => id),
      metadata: {},
    };
    all.push({ ...facts, id: commitId(facts), generation: at, version: 1 });
  }
  const places = new Map(all.map(({ id }, at) => [id, at]));
  let asked = 0;
  let turns = 0;
  let isDone = false;
  const look = (): void => {
    // Behind the last page nothing but ordering is left.
    if (asked * 1_000 >= COMMITS) turns += 1;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  const { commits } = await missingCommits(
    [all.at(-1)?.id ?? ""],
    () => false,
    async (id, amount) => {
      asked += 1;
      const end = (places.get(id) ?? 0) + 1;
      return all.slice(Math.max(0, end - amount), end);
    },
  );
  isDone = true;
  expect(commits).toEqual(all);
  expect(turns).toBeGreaterThan(2);
});
