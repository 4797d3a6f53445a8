/** Benchmarks that run alone: `npm run bench -- --crowd`. */
import { measureConnections } from "./connections.ts";
import { measureConsole } from "./console.ts";
import { measureCrowd } from "./crowd.ts";
import { measureDecisionLog } from "./decision-log.ts";
import { measureDirectories } from "./directories.ts";
import { measureExchange } from "./exchange.ts";
import { measureHostile } from "./hostile.ts";
import { measureLargeUsers } from "./large-users.ts";
import { MUTATION_HEADINGS, measureMutations } from "./mutations.ts";
import { measureNodes } from "./nodes.ts";
import { measurePeers } from "./peers.ts";
import { measureScale } from "./scale.ts";
import { measureShadow } from "./shadow.ts";
import { MOST_LOST, measureSignIns } from "./sign-ins.ts";
import { simulateFleet } from "./simulation.ts";
import { measureSizes, SIZE_HEADINGS } from "./sizes.ts";
import { log, table, whole } from "./tables.ts";
import { measureTraces } from "./traces.ts";
import { measureTransfers } from "./transfers.ts";
import { measureWorkers } from "./workers.ts";

async function printScale(): Promise<void> {
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

async function printNodes(): Promise<void> {
  const rows = await measureNodes(log);
  table(
    ["Nodes over one PostgreSQL", "Measured", "Wanted"],
    rows.map(({ name, measured, wanted }) => [name, measured, wanted]),
  );
}

async function printSizes(): Promise<void> {
  table(SIZE_HEADINGS, await measureSizes(log));
}

async function printDirectories(): Promise<void> {
  const rows = await measureDirectories(log);
  table(
    [
      "Users",
      "Local store",
      "s",
      "CPU s",
      "Highest anonymous memory, MiB",
      "Highest resident memory, MiB",
      "Longest wait of another caller, ms",
    ],
    rows.map(({ users, name, seconds, cpu, anonymous, resident, waitMs }) => [
      whole(users),
      name,
      seconds.toFixed(1),
      cpu.toFixed(1),
      whole(anonymous),
      whole(resident),
      waitMs === undefined ? "" : whole(waitMs),
    ]),
  );
}

async function printMutations(): Promise<void> {
  table(MUTATION_HEADINGS, await measureMutations(log));
}

async function printSimulation(): Promise<void> {
  const rows = await simulateFleet(log);
  table(
    ["A simulated fleet", "Value"],
    rows.map(({ name, value }) => [name, value]),
  );
}

async function printWorkers(): Promise<void> {
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

async function printCrowd(): Promise<void> {
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

async function printConnections(): Promise<void> {
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

async function printPeers(): Promise<void> {
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

async function printLargeUsers(): Promise<void> {
  const rows = await measureLargeUsers(log);
  table(
    [
      "User with",
      "First question of all, ms of CPU",
      "First question, others asked, ms of CPU",
      "A change to one policy and the next question, ms of CPU",
    ],
    rows.map(({ name, atStart, first, afterChange }) => [
      name,
      atStart?.toFixed(0) ?? "",
      first.toFixed(0),
      afterChange?.toFixed(1) ?? "",
    ]),
  );
}

async function printSignIns(): Promise<void> {
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

/** Prints the table of requests that are made to hold up others. */
export async function printHostile(): Promise<void> {
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

async function printDecisionLog(): Promise<void> {
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

async function printShadow(): Promise<void> {
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

async function printTraces(): Promise<void> {
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

async function printPages(): Promise<void> {
  const rows = await measureConsole(log);
  table(
    ["The console, 100,000 users, 1,000 groups, 10,000 policies", "Measured", "Wanted"],
    rows.map(({ name, measured, wanted }) => [name, measured, wanted]),
  );
}

async function printTransfers(): Promise<void> {
  const rows = await measureTransfers(log);
  table(
    ["Transfer of 1 GiB with `svcctl`", "CPU s", "Highest memory, MiB"],
    rows.map(({ name, cpu, peak }) => [name, cpu.toFixed(2), whole(peak)]),
  );
}

/** A benchmark that runs alone. */
interface Mode {
  /** For `--help`: what it measures. */
  readonly about: string;
  /** Measures, and prints its tables. */
  readonly run: () => Promise<void>;
}

/** Benchmarks that run alone, by the name of their flag. */
export const MODES: ReadonlyMap<string, Mode> = new Map([
  ["scale", { about: "a large directory", run: printScale }],
  ["nodes", { about: "several nodes over one database", run: printNodes }],
  ["sizes", { about: "large directories on one database", run: printSizes }],
  ["directories", { about: "what reads or writes all of a large directory", run: printDirectories }],
  ["mutations", { about: "calls that change nothing beside writes", run: printMutations }],
  ["simulation", { about: "a fleet larger than a test can be", run: printSimulation }],
  ["workers", { about: "several processes of one service", run: printWorkers }],
  ["crowd", { about: "more users than the cache holds", run: printCrowd }],
  ["connections", { about: "few and many connections, the decision log and TLS", run: printConnections }],
  ["peers", { about: "OPA and Cerbos on the same questions", run: printPeers }],
  ["largeUsers", { about: "users with very many groups or policies", run: printLargeUsers }],
  ["signIns", { about: "decisions beside 500 sign-ins with passwords", run: printSignIns }],
  ["hostile", { about: "requests made to hold up others", run: printHostile }],
  ["decisionLog", { about: "the cost of the decision log", run: printDecisionLog }],
  ["shadow", { about: "the delay of answers by a shadow candidate", run: printShadow }],
  ["traces", { about: "the cost of traces", run: printTraces }],
  ["pages", { about: "the console in Chromium on a large directory", run: printPages }],
  [
    "exchange",
    { about: "an exchange in forward-auth, uploads signed in chunks, a long listing", run: measureExchange },
  ],
  ["transfers", { about: "what `svcctl` takes to move contents", run: printTransfers }],
]);
