/**
 * Takes the pictures of docs/console.md: every page of the console in Chromium, on a real service with a small company in
 * it. `node scenario/console-screenshots.ts [folder]`; the folder is docs/pictures.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import {
  CHROMIUM,
  callApi,
  type Key,
  type OpenedConsole,
  openConsole,
  setUp,
  signIn,
} from "../packages/console/test/console.ts";
import { createMirror, openMirrorServers } from "../packages/console/test/mirror-servers.ts";
import { sharedBrowser } from "../packages/console/test/shared-browser.ts";

const ROOT = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(ROOT, "docs", "pictures");
const OBJECT = "arn:svc:fs:::repository/sales/object/2026/october.csv";
const VIEWPORT = { width: 1200, height: 750 };

/** The pages: name of the picture, address, and a text that stands there when it is complete. */
const PAGES: readonly (readonly [name: string, address: string, text: string])[] = [
  ["overview", "/", "What changed lately"],
  ["users", "/users", "carol"],
  ["user", "/users/alice", "SalesReport"],
  ["groups", "/groups", "Analysts"],
  ["group", "/groups/Analysts", "SalesReport"],
  ["policies", "/policies", "SalesReport"],
  ["policy", "/policies/SalesReport", "Analysts"],
  ["playground", `/playground?user=alice&action=fs:WriteObject&resource=${OBJECT}`, "Near misses"],
  ["who-can", `/who-can?action=fs:ReadObject&resource=${OBJECT}`, "SalesReport"],
  ["decisions", "/decisions?subject=alice", "fs:DeleteObject"],
  ["review", "/review", "can become one"],
  ["mirror", "/mirrors/sales/sales-west", "Catching up"],
  ["mirrors", "/mirrors", "Catching up"],
  ["account", "/account", "Access keys"],
];

/** Users, groups, policies and some use of them. */
async function fill(console: OpenedConsole, key: Key): Promise<void> {
  const call = (method: string, path: string, body?: unknown) => callApi(console, key, method, path, body);
  const report = {
    effect: "allow",
    action: ["fs:ReadObject"],
    resource: "arn:svc:fs:::repository/sales/object/2026/*",
  };
  const list = { effect: "allow", action: ["fs:ListObjects"], resource: "arn:svc:fs:::repository/sales" };
  await call("POST", "/auth/policies", { id: "SalesReport", statement: [list] });
  await call("PUT", "/auth/policies/SalesReport", { id: "SalesReport", statement: [report, list] });
  await call("POST", "/auth/policies", {
    id: "TeamLead",
    statement: [{ effect: "allow", action: ["auth:AddGroupMember"], resource: "*" }],
  });
  await call("POST", "/auth/groups", { id: "Analysts", description: "Read the reports of sales" });
  await call("PUT", "/auth/groups/Analysts/policies/SalesReport");
  for (const id of ["alice", "bob", "carol"]) {
    await call("POST", "/auth/users", { id });
    await call("PUT", `/auth/groups/Analysts/members/${id}`);
  }
  await call("PUT", "/auth/users/carol/policies/TeamLead");
  await call("POST", "/auth/users/alice/credentials");
  for (const [user, action] of [
    ["alice", "fs:ReadObject"],
    ["alice", "fs:WriteObject"],
    ["bob", "fs:ReadObject"],
    ["alice", "fs:DeleteObject"],
  ] as const) {
    await call("POST", "/auth/check", { user, required: { action, resource: OBJECT } });
  }
}

async function picture(page: Page, name: string, address: string, text: string): Promise<void> {
  await page.goto(address);
  // A mirror is filled half a minute after it was created.
  await page.locator("main").getByText(text).locator("visible=true").first().waitFor({ timeout: 60_000 });
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`${name}.png\n`);
}

if (CHROMIUM === undefined)
  throw new Error("no Chromium is installed: apt-get install chromium-headless-shell");
mkdirSync(folder, { recursive: true });
const servers = await openMirrorServers();
servers.sales.commit("main", servers.sales.upload({ "2026/october.csv": "1" }));
const late = "2026/november.csv";
const draft = servers.sales.upload({ [late]: "2" });
servers.sales.commit("report-draft", draft);
servers.replicate();
servers.west.store.delete(`local://sales-west/${draft.get(late)?.address}`);
const opened = await openConsole({
  ...servers.config,
  "authorizer.decision_log.include": "all",
  "authorizer.node_name": "node-1",
});
try {
  const key = await setUp(opened);
  await fill(opened, key);
  await createMirror(opened, key);
  const page = await opened.newPage({ viewport: VIEWPORT });
  await page.goto("/login");
  await page.screenshot({ path: join(folder, "sign-in.png") });
  await signIn(page, key);
  for (const [name, address, text] of PAGES) await picture(page, name, address, text);
} finally {
  await opened.close();
  await servers.close();
  await (await sharedBrowser(CHROMIUM)).close();
}
