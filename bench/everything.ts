/** The tables of `npm run bench` without a table's name. */
import { SIZES } from "./authorizer.ts";
import { measureCold } from "./cold.ts";
import type { Compared } from "./compare.ts";
import { measureReads } from "./effective.ts";
import { embeddedRate } from "./embedded.ts";
import { composedRate, engineRate } from "./engine.ts";
import { measureForwardAuth } from "./forward-auth.ts";
import { measureHttp } from "./http.ts";
import { measureManyUsers } from "./many-users.ts";
import { printHostile } from "./modes.ts";
import { measureDiffs } from "./policy-diff.ts";
import { measureResources } from "./resources.ts";
import { measureSearches } from "./search.ts";
import { log, table, whole } from "./tables.ts";

/** Users who were not asked about before. */
async function coldUsers(): Promise<void> {
  const rows: string[][] = [];
  for (const size of SIZES) {
    const { batch, singles, first, second, firstWithOwn, memory } = await measureCold(size);
    const times = [batch, singles, first, firstWithOwn, second].map((time) => time.toFixed(2));
    rows.push([whole(size), ...times, whole(memory)]);
    log(`cold users with ${size} statements`);
  }
  table(
    [
      "Statements; 1,000 users, 20 groups, half refused, local store",
      "1,000 evaluations about a new group's user, ms",
      "32 single questions at once, ms",
      "first question, group known, ms",
      "the same, and a policy of the user's own, ms",
      "second question, ms",
      "memory after all users, MiB",
    ],
    rows,
  );
}

/** The cells of a server beside its yardstick. */
function ratesOf({ perSecond, ofBare, cpuOfBare, p50, p99 }: Compared): string[] {
  return [whole(perSecond), ...[ofBare, cpuOfBare, p50, p99].map((value) => value.toFixed(2))];
}

/** Prints the tables of `npm run bench`. */
export async function measureEverything(): Promise<void> {
  const engine = SIZES.map((size) => [whole(size), whole(engineRate(size))]);
  engine.push(["10,000, of five groups", whole(composedRate(10_000, 5))]);
  table(["Statements of the user", "Decisions/s in process, one core"], engine);
  table(
    ["Statements of all users; two groups of twenty each, half refused", "Embedded decisions/s of CPU time"],
    [1_000, 10_000].map((size) => [whole(size), whole(embeddedRate(size))]),
  );
  await coldUsers();
  await printHostile();
  table(
    [
      "Comparison of a grant of 200 statements with as many that its giver holds",
      "ms",
      "Widenings (it stops at 100)",
    ],
    measureDiffs(200).map(({ name, ms, widenings }) => [name, ms.toFixed(0), whole(widenings)]),
  );
  const figures = await measureResources();
  table(
    ["Resource", "Measured"],
    [
      ["Start to ready, empty local store", `${whole(figures.readyMs)} ms`],
      ["Memory idle", `${whole(figures.idleMiB)} MiB`],
      ["Memory, 1,000 users of 20 groups at 1,000 statements each", `${whole(figures.largeMiB)} MiB`],
      ["The same in memory instead of on disk, after the load", `${whole(figures.largeInMemoryMiB)} MiB`],
      ["Longest wait of a decision while the others were compiled", `${whole(figures.longestWaitMs)} ms`],
    ],
  );
  const rows = await measureHttp(log);
  table(
    ["Endpoint", "Requests/s", "of bare `node:http`", "by CPU time", "p50 ms", "p99 ms"],
    rows.map(({ name, perSecond, ofBare, cpuOfBare, p50, p99 }) => [
      name,
      whole(perSecond),
      ofBare >= 0.1 ? ofBare.toFixed(2) : "",
      ofBare >= 0.1 ? cpuOfBare.toFixed(2) : "",
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  );
  table(
    ["Batches of 1,000 evaluations over one keep-alive connection", "Decisions/s"],
    rows
      .filter(({ name }) => name.startsWith("/evaluations"))
      .map(({ name, perSecond }) => [name, whole(perSecond * 1_000)]),
  );
  const many = await measureManyUsers(log);
  table(
    [
      "1,000 users, half refused, local store",
      "Requests/s",
      "of bare `node:http`",
      "by CPU time",
      "p50 ms",
      "p99 ms",
    ],
    many.map((row) => [row.name, ...ratesOf(row)]),
  );
  const subrequests = await measureForwardAuth(log);
  table(
    [
      "Subrequest of nginx",
      "Requests/s",
      "of bare `node:http` with the same requests",
      "by CPU time",
      "p50 ms",
      "p99 ms",
    ],
    subrequests.map((row) => [row.name, ...ratesOf(row)]),
  );
  const reads = await measureReads(log);
  table(
    [
      "Read of a data server",
      "Bytes",
      "Requests/s",
      "of bare `node:http` with these bytes",
      "by CPU time",
      "p50 ms",
      "p99 ms",
    ],
    reads.map((row) => [row.name, whole(row.bytes), ...ratesOf(row)]),
  );
  const searches = await measureSearches(log);
  table(
    ["First page of 100, of 10,000 users and 10,000 resources", "First time, ms", "Then, ms"],
    searches.map(({ name, first, median }) => [name, first.toFixed(0), median.toFixed(0)]),
  );
}
