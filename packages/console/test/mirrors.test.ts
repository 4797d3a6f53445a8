import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CHROMIUM,
  callApi,
  type Key,
  type OpenedConsole,
  openConsole,
  seriousFindings,
  setUp,
  signIn,
} from "./console.ts";
import { type MirrorServers, openMirrorServers } from "./mirror-servers.ts";

/** A mirror is filled once no cache of a data server answers for an earlier one: half a minute. */
const FILLED_MS = 90_000;
const ADDRESS = "/mirrors/sales/sales-west";

describe.skipIf(CHROMIUM === undefined)("in Chromium, a mirror", () => {
  let servers: MirrorServers;
  let console: OpenedConsole;
  let page: Page;
  let key: Key;

  beforeAll(async () => {
    servers = await openMirrorServers();
    const { sales } = servers;
    sales.commit("main", sales.upload({ "reports/october.csv": "1" }));
    sales.commit("draft", sales.upload({ "notes.txt": "2" }));
    console = await openConsole(servers.config);
    key = await setUp(console);
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(async () => {
    await console?.close();
    await servers?.close();
  });

  const state = (words: string) =>
    page.locator(".figures").getByText(words, { exact: true }).waitFor({ timeout: FILLED_MS });
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  it("is created where the navigation leads, after what the service says against it", async () => {
    await page.getByRole("link", { name: "Mirrors", exact: true }).click();
    await page.getByText("There are no mirrors yet.").waitFor();
    await press("Create mirror");
    await fill("Repository", "sales");
    await fill("Name of the mirror", "sales-west");
    expect(await page.getByLabel("Region", { exact: true }).inputValue()).toBe("west");
    await fill("Storage namespace", "s3://bucket/sales");
    await press("Create");
    await page.locator(".problem").getByText("must begin with local://").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await fill("Storage namespace", "local://sales-west");
    await press("Create");
    await page.waitForURL(`**${ADDRESS}`);
    await state("Being created");
    await page.getByText("No branch was seen yet.").waitFor();
    await page.goto("/mirrors");
    await page.getByRole("row", { name: /sales-west.*sales.*west.*Being created/ }).waitFor();
  });

  it("says what is missing and for how long it is behind, and then that both have the same heads", async () => {
    await page.goto(ADDRESS);
    await state("Catching up");
    await page
      .locator(".warnings")
      .getByText(/the store has not replicated everything: /)
      .waitFor();
    const branches = page.getByRole("table", { name: "branches" });
    await branches.getByRole("row", { name: /^main [0-9a-f]{12} nothing yet / }).waitFor();
    expect(await branches.getByRole("row").count()).toBe(3);
    servers.replicate();
    await state("Up to date");
    await branches.getByRole("row", { name: /^main ([0-9a-f]{12}) \1 same$/ }).waitFor();
    expect(await page.locator(".warnings").count()).toBe(0);
  });

  it("loses a branch that is not chosen any more, and keeps the default branch", async () => {
    await press("Choose branches");
    await fill("But not", "ma*, draft");
    await press("Save");
    await page.locator(".problem").getByText("the default branch main must be mirrored").waitFor();
    await fill("But not", "draft , tmp-*");
    await press("Save");
    await page.getByText("All branches but not draft, tmp-*").waitFor();
    await expect.poll(() => servers.west.repositories.get("sales-west")?.branches.size).toBe(1);
    await page.reload();
    await press("Choose branches");
    expect(await page.getByLabel("But not", { exact: true }).inputValue()).toBe("draft, tmp-*");
    await press("Cancel");
  });

  it("is shown without what a person may not do", async () => {
    await callApi(console, key, "POST", "/auth/users", { id: "viewer" });
    await callApi(console, key, "PUT", "/auth/groups/Viewers/members/viewer");
    await callApi(console, key, "POST", "/auth/users", { id: "nobody" });
    const made = (id: string) => callApi(console, key, "POST", `/auth/users/${id}/credentials`);
    const other = await console.newPage();
    await signIn(other, (await made("viewer")) as Key);
    await other.getByRole("link", { name: "Mirrors", exact: true }).click();
    await other.getByRole("link", { name: "sales-west", exact: true }).click();
    await other.locator(".figures").getByText("Up to date", { exact: true }).waitFor();
    const names = await other.locator("main button").allTextContents();
    expect(names).toEqual([]);
    const stranger = await console.newPage();
    await signIn(stranger, (await made("nobody")) as Key);
    await stranger.goto("/mirrors");
    await stranger.getByRole("alert").getByText("fs:ListRepositories").waitFor();
    expect(await stranger.getByRole("link", { name: "Mirrors", exact: true }).count()).toBe(0);
  });

  it("is deleted by its name; while its region does not answer, its record can be", async () => {
    await page.goto(ADDRESS);
    servers.west.fault = () => "busy";
    await press("Delete mirror");
    await fill("Name", "sales-west");
    await press("Delete");
    await page.waitForURL("**/mirrors");
    await page.getByRole("row", { name: /sales-west.*Being deleted/ }).waitFor();
    await page.getByRole("link", { name: "sales-west", exact: true }).click();
    await press("Delete record");
    await page.getByRole("dialog").getByText("only for a region that is lost").waitFor();
    await fill("Name", "sales-west");
    await press("Delete");
    await page.waitForURL("**/mirrors");
    await page.getByText("There are no mirrors yet.").waitFor();
    // The browser reports what the service refused.
    expect(console.faults.filter((fault) => !/status of 400/.test(fault))).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)("in Chromium, a service without regions", () => {
  it("offers no mirrors, and says so at their address", async () => {
    const console = await openConsole();
    try {
      const page = await console.newPage();
      await signIn(page, await setUp(console));
      expect(await page.getByRole("link", { name: "Mirrors", exact: true }).count()).toBe(0);
      await page.goto("/mirrors");
      await page.getByText("No region may have mirrors").waitFor();
    } finally {
      await console.close();
    }
  });
});
