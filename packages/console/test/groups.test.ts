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

describe.skipIf(CHROMIUM === undefined)("in Chromium, a group", () => {
  let console: OpenedConsole;
  let page: Page;
  let key: Key;
  const read = (path: string): Promise<unknown> => callApi(console, key, "GET", path);

  beforeAll(async () => {
    console = await openConsole({ "auth.ui_config.rbac": "simplified" });
    key = await setUp(console);
    await callApi(console, key, "POST", "/auth/users", { id: "bob" });
    const statement = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }];
    await callApi(console, key, "POST", "/auth/policies", { id: "ReadReports", statement });
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(() => console.close());

  it("is created with a description, and gets a member", async () => {
    await page.goto("/groups");
    await page.getByRole("button", { name: "Create group", exact: true }).click();
    await page.getByLabel("Group name", { exact: true }).fill("Analysts");
    await page.getByLabel("Description", { exact: true }).fill("Who reads reports");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.waitForURL("**/groups/Analysts");
    await page.getByLabel("Add member", { exact: true }).fill("bob");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("link", { name: "bob", exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await read("/auth/groups/Analysts")).toMatchObject({ description: "Who reads reports" });
  });

  it("gets a policy, after a look at who gains what", async () => {
    await page.getByLabel("Attach policy", { exact: true }).fill("ReadReports");
    await page.getByRole("button", { name: "What changes", exact: true }).click();
    await page.getByText("It applies to 1 user: 1 gain and 0 lose something.").waitFor();
    expect(await read("/auth/groups/Analysts/policies")).toMatchObject({ results: [] });
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    await page.getByRole("link", { name: "ReadReports", exact: true }).waitFor();
    await page.getByRole("button", { name: "Detach ReadReports from Analysts", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Detach", exact: true }).click();
    await page.getByText("No policy is attached to this group.").waitFor();
  });

  it("gets an access list, where access is simplified", async () => {
    await page.getByLabel(/^Write/).click();
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await expect.poll(() => read("/auth/groups/Analysts/acl")).toEqual({ permission: "Write" });
    await page.getByRole("link", { name: "ACL(_-_)Analysts", exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("confirms by name what detaches policies, and names them", async () => {
    await callApi(console, key, "PUT", "/auth/groups/Analysts/policies/ReadReports");
    await page.reload();
    await page.getByLabel(/^Read/).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("ReadReports", { exact: true }).waitFor();
    expect(await dialog.getByRole("button", { name: "Set", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name", { exact: true }).fill("Analysts");
    await dialog.getByRole("button", { name: "Set", exact: true }).click();
    await expect.poll(() => read("/auth/groups/Analysts/acl")).toEqual({ permission: "Read" });
  });

  it("gets no access list while it is not known which policies that would detach", async () => {
    await callApi(console, key, "PUT", "/auth/groups/Analysts/policies/ReadReports");
    const before = console.faults.length;
    const held = "**/auth/groups/Analysts/policies?amount=20*";
    await page.route(held, (route) =>
      route.fulfill({ status: 500, contentType: "application/json", body: '{"message":"out of order"}' }),
    );
    await page.reload();
    await page.getByRole("alert").getByText("out of order").waitFor();
    expect(await page.getByLabel(/^Write/).isDisabled()).toBe(true);
    await page.unroute(held);
    await page.reload();
    await expect.poll(() => page.getByLabel(/^Write/).isEnabled()).toBe(true);
    await callApi(console, key, "DELETE", "/auth/groups/Analysts/policies/ReadReports");
    console.faults.splice(before);
  });

  it("loses a member, and is deleted by name", async () => {
    await page.getByRole("button", { name: "Remove bob from Analysts", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("This group has no members.").waitFor();
    await page.getByRole("button", { name: "Delete group", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Analysts");
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL("**/groups");
    // While the policy was attached, the access list was asked for once more, and there is none then.
    expect(console.faults.filter((fault) => !fault.endsWith("/auth/groups/Analysts/acl"))).toEqual([]);
    await expect(read("/auth/groups/Analysts")).rejects.toThrow("404");
  });
});
