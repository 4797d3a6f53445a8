/** The console says what it does not know, and what it does not show. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../../test/end-to-end/program.ts";
import { CHROMIUM, callApi, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";

const ACTIONS = 1_100;

/** A data set with a type of very many actions, which come before those of the service. */
function manyActions(): string {
  const file = join(newFolder(), "many-actions.json");
  const names = Array.from({ length: ACTIONS }, (_, index) => `verb${index}`);
  const actions = Object.fromEntries(names.map((name) => [name, `aaa:V${name.slice(1)}`]));
  const type = { type: "record", arn: "arn:svc:aaa:::record/{id}", id: "{id}", actions };
  const all = { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] };
  const users = [{ username: "ada", policies: ["All"] }];
  writeFileSync(file, JSON.stringify({ format: 1, users, policies: [all], resource_types: [type] }));
  return file;
}

describe.skipIf(CHROMIUM === undefined)("in Chromium, an administrator", () => {
  let console: OpenedConsole;
  let page: Page;
  beforeAll(async () => {
    console = await openConsole({
      "authorizer.datasets": [manyActions()],
      "authorizer.decision_log.include": "denied",
    });
    const key = await setUp(console);
    await callApi(console, key, "PUT", "/auth/users/admin/policies/All");
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(() => console?.close());

  it("reads that refusals by policy are not known yet, and then these", async () => {
    const status = "**/api/v1/auth/status";
    // As the service answers while a large log is read.
    await page.route(status, async (route) => {
      const { refusals_by_policy: _unknown, ...body } = await (await route.fetch()).json();
      await route.fulfill({ json: body });
    });
    await page.goto("/");
    const unknown = page.getByText("Not known yet: the records of decisions are still being read.");
    await unknown.waitFor();
    await page.unroute(status);
    await page.getByText("Nothing was refused.", { exact: true }).waitFor();
    expect(await unknown.count()).toBe(0);
  });

  it("is offered what comes after the first thousand actions", async () => {
    await page.goto("/users");
    await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
    await page.getByRole("button", { name: "Create user", exact: true }).waitFor({ timeout: 15_000 });
    await page.getByRole("link", { name: "Policies", exact: true }).waitFor({ timeout: 15_000 });
    await page.goto("/users/ada");
    await page.getByRole("button", { name: "Create access key", exact: true }).waitFor({ timeout: 15_000 });
  });

  it("reads that a list of actions is cut", async () => {
    await page.goto(`/who-can?${new URLSearchParams({ of: "ada", on: "arn:svc:aaa:::record/1" })}`);
    const list = page.getByRole("list", { name: "Actions" });
    await list.waitFor();
    expect(await list.getByRole("listitem").count()).toBe(1_000);
    const said = await page
      .getByText(/^The first 1,000 of [\d,]+ actions; the others are not shown\.$/)
      .count();
    expect(said).toBe(1);
  });

  it("sees no fault meanwhile", () => {
    expect(console.faults).toEqual([]);
  });
});
