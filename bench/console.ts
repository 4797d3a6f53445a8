/**
 * The console in Chromium on a large directory: what the first screen weighs, when it is there, and how long lists and
 * searches take. `npm run bench -- --pages`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { CHROMIUM, callApi, setUp, signIn } from "../packages/console/test/console.ts";
import { largeDataset } from "../test/datasets/large-dataset.ts";
import { folder, program, urlsOf, write } from "./authorizer.ts";
import { localConfig } from "./cold.ts";
import { median } from "./compare.ts";
import { onAllCores, startServer } from "./processes.ts";

/** One measured figure of the console. */
interface ConsoleRow {
  readonly name: string;
  readonly measured: string;
  readonly wanted: string;
}

const SIZE = { users: 100_000, groups: 1_000, policiesPerGroup: 10, statementsPerPolicy: 2 };
const ROUNDS = 3;
const LONGEST = 60_000;
/** Holds a policy directly, so that all users are looked through for it. */
const LAST = "user-099999";
const ROOT = join(import.meta.dirname, "..");

/** The lists, searches and pages that are timed: an address, and a text that stands on the page when it is useful. */
const PAGES: readonly (readonly [name: string, path: string, text: string])[] = [
  ["overview", "/", "What changed lately"],
  ["list of 100,000 users", "/users", "user-000000"],
  ["the same, searched", "/users?search=r-0777", "user-077700"],
  ["list of 1,001 groups and more", "/groups", "team-0"],
  ["the same, searched", "/groups?search=m-777", "team-777"],
  ["list of 10,000 policies", "/policies", "team-0-policy-0"],
  ["the same, searched", "/policies?search=777-policy-7", "team-777-policy-7"],
  ["a user", "/users/user-077700", "team-700"],
  ["a group", "/groups/team-7", "team-7-policy-7"],
  ["a policy", "/policies/team-7-policy-7", "may"],
  ["a policy, until the last of 100,000 users is listed who holds it", "/policies/team-7-policy-7", LAST],
  [
    "playground",
    "/playground?user=user-000007&action=fs:ReadObject&resource=arn:svc:fs:::repository/team-7-0-0/object/data",
    "Allowed",
  ],
  [
    "who can",
    "/who-can?action=fs:ReadObject&resource=arn:svc:fs:::repository/team-7-0-0/object/data",
    "user-000007",
  ],
  ["decisions", "/decisions", "user-000007"],
  ["account", "/account", "Access keys"],
];
/** It looks at the whole directory for a while, so it comes last. */
const REVIEW = ["review", "/review", "Unused access"] as const;

/** Measures the console; an empty list where no Chromium is installed. */
export async function measureConsole(log: (text: string) => void): Promise<ConsoleRow[]> {
  if (CHROMIUM === undefined) {
    log("the console: no Chromium is installed");
    return [];
  }
  execFileSync(process.execPath, [join(ROOT, "build", "console.mjs")], { stdio: "pipe" });
  const dataset = write("console.json", JSON.stringify(largeDataset(SIZE)));
  const args = [program, "run", "--config", localConfig("console"), "--authorizer.datasets", dataset];
  args.push("--authorizer.decision_log.include", "all");
  return await onAllCores(async () => {
    const server = await startServer(args);
    const browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox"] });
    try {
      const { user } = urlsOf(server);
      const context = await browser.newContext({ baseURL: user, viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      const setupToken = readFileSync(join(folder, "console", "svc-authorizer-setup-token"), "utf8").trim();
      const key = await setUp({ url: user, setupToken });
      const first = await firstScreen(page);
      await callApi({ url: user }, key, "PUT", `/auth/users/${LAST}/policies/team-7-policy-7`);
      await signIn(page, key);
      const rows = [...first];
      let heap = 0;
      const search = await timeOfSearch(page);
      for (const [name, path, text] of [...PAGES, REVIEW]) {
        const times: number[] = [];
        for (let round = 0; round < ROUNDS; round++) times.push(await timeOf(page, path, text));
        heap = Math.max(heap, (await heapOf(page))["JSHeapUsedSize"] ?? 0);
        rows.push({ name, measured: `${Math.round(median(times))} ms`, wanted: "1,000 ms" });
        log(`the console: ${name}: ${Math.round(median(times))} ms`);
      }
      rows.push({ name: "search of the header", measured: search, wanted: "1,000 ms" });
      rows.push({
        name: "JavaScript heap of a page, the largest of all",
        measured: `${Math.round(heap / 2 ** 20)} MiB`,
        wanted: "150 MiB",
      });
      return rows;
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

/** The first visit with an empty cache: bytes on the wire, first paint, and time in which scripts blocked the page. */
async function firstScreen(page: Page): Promise<ConsoleRow[]> {
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.addInitScript(`
    window.blocked = 0;
    window.largest = 0;
    window.shifted = 0;
    new PerformanceObserver((list) => {
      window.largest = list.getEntries().at(-1).startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.blocked += Math.max(0, duration - 50);
    }).observe({ type: "longtask", buffered: true });
  `);
  await page.goto("/login", { waitUntil: "networkidle" });
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName("first-contentful-paint")[0].startTime`,
  );
  const [blocked = 0, largest = 0, shifted = 0] = await page.evaluate<number[]>(
    "[window.blocked, window.largest, window.shifted]",
  );
  return [
    {
      name: "first screen, bytes on the wire",
      measured: `${Math.round(bytes / 1024)} KiB`,
      wanted: "350 KiB",
    },
    { name: "first contentful paint", measured: `${Math.round(paint)} ms`, wanted: "1,000 ms" },
    { name: "largest contentful paint", measured: `${Math.round(largest)} ms`, wanted: "1,000 ms" },
    { name: "blocking time", measured: `${Math.round(blocked)} ms`, wanted: "" },
    { name: "layout shift", measured: shifted.toFixed(3), wanted: "0.1" },
  ];
}

/** Milliseconds from the navigation until a text stands on the page. */
async function timeOf(page: Page, path: string, text: string): Promise<number> {
  const began = performance.now();
  await page.goto(path, { waitUntil: "commit" });
  await page.locator("main").getByText(text).first().waitFor({ timeout: LONGEST });
  return performance.now() - began;
}

/** Milliseconds from typing a part of a name until the user is found. */
async function timeOfSearch(page: Page): Promise<string> {
  const times: number[] = [];
  for (const part of ["r-0777", "r-0888", "r-0999"]) {
    await page.goto("/account", { waitUntil: "networkidle" });
    const began = performance.now();
    await page.getByRole("combobox", { name: "Search users, groups and policies" }).fill(part);
    await page
      .getByRole("option")
      .filter({ hasText: `use${part}00` })
      .waitFor();
    times.push(performance.now() - began);
  }
  return `${Math.round(median(times))} ms`;
}

async function heapOf(page: Page): Promise<Readonly<Record<string, number>>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

if (process.argv[1] === import.meta.filename) {
  try {
    for (const { name, measured, wanted } of await measureConsole(console.error)) {
      console.log(`${name}: ${measured}${wanted === "" ? "" : ` (wanted: ${wanted})`}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
