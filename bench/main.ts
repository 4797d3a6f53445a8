/** `npm run bench`: prints the numbers of docs/performance.md. */
import { rmSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { folder, isBuilt, SIZES } from "./authorizer.ts";
import { measureCold } from "./cold.ts";
import { measureConnections } from "./connections.ts";
import { measureConsole } from "./console.ts";
import { measureCrowd } from "./crowd.ts";
import { measureDecisionLog } from "./decision-log.ts";
import { measureDirectories } from "./directories.ts";
import { measureReads } from "./effective.ts";
import { embeddedRate } from "./embedded.ts";
import { composedRate, engineRate } from "./engine.ts";
import { measureForwardAuth } from "./forward-auth.ts";
import { measureHostile } from "./hostile.ts";
import { measureHttp } from "./http.ts";
import { measureLargeUsers } from "./large-users.ts";
import { measureManyUsers } from "./many-users.ts";
import { MUTATION_HEADINGS, measureMutations } from "./mutations.ts";
import { measureNodes } from "./nodes.ts";
import { measurePeers } from "./peers.ts";
import { measureDiffs } from "./policy-diff.ts";
import { isPinned } from "./processes.ts";
import { measureResources } from "./resources.ts";
import { measureScale } from "./scale.ts";
import { measureSearches } from "./search.ts";
import { measureShadow } from "./shadow.ts";
import { MOST_LOST, measureSignIns } from "./sign-ins.ts";
import { simulateFleet } from "./simulation.ts";
import { measureSizes, SIZE_HEADINGS } from "./sizes.ts";
import { measureTraces } from "./traces.ts";
import { measureTransfers } from "./transfers.ts";
import { measureWorkers } from "./workers.ts";

const log = (text: string): void => console.error(text);
const whole = (value: number): string => Math.round(value).toLocaleString("en");

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n"));
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, ` +
    `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, ` +
    `${isPinned ? "server and client on a core each" : "not pinned to cores"}, ` +
    `program ${isBuilt ? "built" : "from sources"}\n`,
);
/** `npm run bench -- --scale`: a large directory, in place of everything else. */
async function scale(): Promise<void> {
  const rows = await measureScale(log);
  table(
    ["A directory of 100,000 users, 1,000 groups, 10,000 policies", "Measured", "Wanted"],
    rows.map(({ name, measured, unit, target }) => [
      name,
      `${measured.toFixed(unit === "s" ? 2 : 0)} ${unit}`,
      `< ${target} ${unit}`,
    ]),
  );
}

/** `npm run bench -- --nodes`: several nodes over one database, in place of everything else. */
async function nodes(): Promise<void> {
  const rows = await measureNodes(log);
  table(
    ["Nodes over one PostgreSQL", "Measured", "Wanted"],
    rows.map(({ name, measured, wanted }) => [name, measured, wanted]),
  );
}

/** `npm run bench -- --sizes`: large directories on one database, in place of everything else. */
async function sizes(): Promise<void> {
  table(SIZE_HEADINGS, await measureSizes(log));
}

/** `npm run bench -- --directories`: what reads or writes all of a large directory, in place of everything else. */
async function directories(): Promise<void> {
  const rows = await measureDirectories(log);
  table(
    ["Users", "Local store", "s", "CPU s", "Highest anonymous memory, MiB", "Highest resident memory, MiB"],
    rows.map(({ users, name, seconds, cpu, anonymous, resident }) => [
      whole(users),
      name,
      seconds.toFixed(1),
      cpu.toFixed(1),
      whole(anonymous),
      whole(resident),
    ]),
  );
}

/** `npm run bench -- --mutations`: calls that change nothing beside writes, in place of everything else. */
async function mutations(): Promise<void> {
  table(MUTATION_HEADINGS, await measureMutations(log));
}

/** `npm run bench -- --simulation`: a fleet larger than a test can be. */
async function simulation(): Promise<void> {
  const rows = await simulateFleet(log);
  table(
    ["A simulated fleet", "Value"],
    rows.map(({ name, value }) => [name, value]),
  );
}

/** `npm run bench -- --workers`: several processes of one service, in place of everything else. */
async function workers(): Promise<void> {
  const rows = await measureWorkers(log);
  table(
    ["Two workers on all cores", "Requests/s", "of two workers of bare `node:cluster`", "p50 ms", "p99 ms"],
    rows.map(({ name, perSecond, ofBare, p50, p99 }) => [
      name,
      whole(perSecond),
      ofBare.toFixed(2),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  );
}

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

/** `npm run bench -- --crowd`: more users than the cache holds, in place of everything else. */
async function crowd(): Promise<void> {
  const rows = await measureCrowd(log);
  table(
    [
      "Active users of 100,000; 1,000 statements each, half refused",
      "Requests/s",
      "p99 ms",
      "CPU µs each",
      "times bare `node:http`",
      "times users who are all cached",
      "memory, MiB",
    ],
    rows.map(({ active, perSecond, p99, cpu, ofBare, ofWarm, memory }) => [
      active === undefined ? "the first question of each" : whole(active),
      whole(perSecond),
      p99.toFixed(2),
      cpu.toFixed(1),
      ofBare.toFixed(2),
      ofWarm.toFixed(2),
      whole(memory),
    ]),
  );
}

/** `npm run bench -- --connections`: few and many connections, the decision log and TLS, in place of everything else. */
async function connections(): Promise<void> {
  const rows = await measureConnections(log);
  table(
    ["Server", "Connections", "Requests/s", "of bare `node:http`", "CPU µs each", "by CPU time", "p99 ms"],
    rows.map(({ name, connections, perSecond, ofBare, cpu, cpuOfBare, p99 }) => [
      name,
      whole(connections),
      whole(perSecond),
      ofBare.toFixed(2),
      cpu.toFixed(1),
      cpuOfBare.toFixed(2),
      p99.toFixed(2),
    ]),
  );
}

/** `npm run bench -- --peers`: OPA and Cerbos on the same questions, in place of everything else. */
async function peers(): Promise<void> {
  const rows = await measurePeers(log);
  table(
    [
      "1,000 users of 20 groups, 1,000 statements each, half refused",
      "Requests/s",
      "CPU µs each",
      "of bare `node:http`, by CPU time",
      "p99 ms",
      "memory, MiB",
    ],
    rows.map(({ name, perSecond, cpu, cpuOfBare, p99, memory }) => [
      name,
      whole(perSecond),
      cpu.toFixed(1),
      cpuOfBare.toFixed(2),
      p99.toFixed(2),
      whole(memory),
    ]),
  );
}

/** `npm run bench -- --largeUsers`: users with very many groups or policies, in place of everything else. */
async function largeUsers(): Promise<void> {
  const rows = await measureLargeUsers(log);
  table(
    ["User with", "First question, ms of CPU", "A change to one policy and the next question, ms of CPU"],
    rows.map(({ name, first, afterChange }) => [name, first.toFixed(0), afterChange.toFixed(1)]),
  );
}

/** `npm run bench -- --signIns`: decisions beside 500 sign-ins with passwords, in place of everything else. */
async function signIns(): Promise<void> {
  const { alone, beside, lost, hashed, later } = await measureSignIns(log);
  table(
    [
      "500 sign-ins at once, 32 connections",
      "Decisions/s alone",
      "beside",
      "lost, %",
      "may be, %",
      "hashed",
      "503",
    ],
    [
      [
        "median of five",
        whole(alone),
        whole(beside),
        (lost * 100).toFixed(0),
        whole(MOST_LOST * 100),
        whole(hashed),
        whole(later),
      ],
    ],
  );
}

/** Requests made to hold up others, also alone: `npm run bench -- --hostile`. */
async function hostile(): Promise<void> {
  const rows = await measureHostile(log);
  table(
    [
      "Hostile callers",
      "Result",
      "Longest hold of the loop, ms of CPU",
      "Longest wait of a new client, ms",
      "without what other processes took, ms",
      "Memory, MiB more",
      "It may be",
      "In the kernel, MiB",
      "Held",
    ],
    rows.map(({ name, result, holdMs, waitMs, ownWaitMs, grewMiB, limitMiB, tcpMiB, held }) => [
      name,
      result,
      whole(holdMs),
      whole(waitMs),
      whole(ownWaitMs),
      whole(grewMiB),
      whole(limitMiB),
      whole(tcpMiB),
      held ? "yes" : "no",
    ]),
  );
}

async function everything(): Promise<void> {
  const engine = SIZES.map((size) => [whole(size), whole(engineRate(size))]);
  engine.push(["10,000, of five groups", whole(composedRate(10_000, 5))]);
  table(["Statements of the user", "Decisions/s in process, one core"], engine);
  table(
    ["Statements of all users; two groups of twenty each, half refused", "Embedded decisions/s of CPU time"],
    [1_000, 10_000].map((size) => [whole(size), whole(embeddedRate(size))]),
  );
  await coldUsers();
  await hostile();
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
    many.map(({ name, perSecond, ofBare, cpuOfBare, p50, p99 }) => [
      name,
      whole(perSecond),
      ofBare.toFixed(2),
      cpuOfBare.toFixed(2),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
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
    subrequests.map(({ name, perSecond, ofBare, cpuOfBare, p50, p99 }) => [
      name,
      whole(perSecond),
      ofBare.toFixed(2),
      cpuOfBare.toFixed(2),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
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
    reads.map(({ name, bytes, perSecond, ofBare, cpuOfBare, p50, p99 }) => [
      name,
      whole(bytes),
      whole(perSecond),
      ofBare.toFixed(2),
      cpuOfBare.toFixed(2),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  );
  const searches = await measureSearches(log);
  table(
    ["First page of 100, of 10,000 users and 10,000 resources", "First time, ms", "Then, ms"],
    searches.map(({ name, first, median }) => [name, first.toFixed(0), median.toFixed(0)]),
  );
}

/** `npm run bench -- --decisionLog`: the cost of the decision log, in place of everything else. */
async function decisionLog(): Promise<void> {
  const rows = await measureDecisionLog(log);
  table(
    ["Decision log", "Requests/s", "of the rate without a log", "CPU µs each", "share by CPU time"],
    rows.map(({ name, perSecond, share, cpu, cpuShare }) => [
      name,
      whole(perSecond),
      share.toFixed(2),
      cpu.toFixed(1),
      cpuShare.toFixed(2),
    ]),
  );
}

/** `npm run bench -- --shadow`: the delay of answers by a shadow candidate, in place of everything else. */
async function shadow(): Promise<void> {
  const rows = await measureShadow(log);
  table(
    ["Shadow", "p50 ms", "with it", "p99 ms", "with it", "p99 later by, ms", "Wanted", "Decided again"],
    rows.map(({ name, without, shadowed, delay, wanted, again }) => [
      name,
      ...[without.p50, shadowed.p50, without.p99, shadowed.p99, delay].map((one) => one.toFixed(2)),
      `at most ${wanted}`,
      `${(again * 100).toFixed(0)} %`,
    ]),
  );
}

/** `npm run bench -- --traces`: the cost of traces, in place of everything else. */
async function traces(): Promise<void> {
  const rows = await measureTraces(log);
  table(
    ["Traces", "Requests/s", "of the rate without traces", "CPU µs each", "p50 ms", "p99 ms"],
    rows.map(({ name, perSecond, share, cpu, p50, p99 }) => [
      name,
      whole(perSecond),
      share.toFixed(2),
      cpu.toFixed(1),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  );
}

/** `npm run bench -- --pages`: the console in Chromium on a large directory, in place of everything else. */
async function pages(): Promise<void> {
  const rows = await measureConsole(log);
  table(
    ["The console, 100,000 users, 1,000 groups, 10,000 policies", "Measured", "Wanted"],
    rows.map(({ name, measured, wanted }) => [name, measured, wanted]),
  );
}

/** `npm run bench -- --transfers`: what `svcctl` takes to move contents, in place of everything else. */
async function transfers(): Promise<void> {
  const rows = await measureTransfers(log);
  table(
    ["Transfer of 1 GiB with `svcctl`", "CPU s", "Highest memory, MiB"],
    rows.map(({ name, cpu, peak }) => [name, cpu.toFixed(2), whole(peak)]),
  );
}

try {
  const modes = [
    scale,
    nodes,
    sizes,
    directories,
    mutations,
    simulation,
    workers,
    decisionLog,
    shadow,
    traces,
    pages,
    transfers,
    crowd,
    connections,
    peers,
    largeUsers,
    hostile,
    signIns,
  ];
  const alone = modes.find(({ name }) => process.argv.includes(`--${name}`));
  await (alone ?? everything)();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
