import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  API_TOKEN,
  CHROMIUM,
  callApi,
  type Key,
  type OpenedConsole,
  openConsole,
  seriousFindings,
  setUp,
  signIn,
} from "./console.ts";

const READ = {
  id: "ReadSales",
  statement: [
    { effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/sales/object/*" },
  ],
};
const stored = (policy: unknown): unknown => (policy as { readonly statement: unknown }).statement;

describe.skipIf(CHROMIUM === undefined)("in Chromium, a policy", () => {
  let console: OpenedConsole;
  let page: Page;
  let key: Key;

  const write = async (text: string): Promise<void> => {
    await page.getByLabel("Policy document", { exact: true }).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };

  beforeAll(async () => {
    console = await openConsole();
    key = await setUp(console);
    await callApi(console, key, "POST", "/auth/users", { id: "bob" });
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(() => console.close());

  it("that comes with the service is marked as changed by what it grants, not by how it is written", async () => {
    const mark = page.locator(".shipped");
    const put = (statement: object) =>
      callApi(console, key, "PUT", "/auth/policies/FSFullAccess", {
        id: "FSFullAccess",
        statement: [statement],
      });
    await put({ resource: "*", sid: "Everything", action: ["fs:*"], effect: "allow" });
    await page.goto("/policies/FSFullAccess");
    await expect.poll(() => mark.first().textContent()).toBe("shipped");
    await put({ effect: "allow", action: ["fs:Read*"], resource: "*" });
    await page.reload();
    await expect.poll(() => mark.first().textContent()).toBe("shipped, changed here");
    await put({ effect: "allow", action: ["fs:*"], resource: "*" });
  });

  it("is written with completion, a mistake is named as one types, and mended", async () => {
    await page.goto("/policies");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Create policy", exact: true }).click();
    await page.getByLabel("Policy name", { exact: true }).fill("ReadSales");
    await page.getByLabel("Policy document", { exact: true }).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type('{"statement":[{"effect":"allow","action":["fs:ReadOb');
    await page.getByRole("option", { name: /fs:ReadObject/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("/statement/0/resource").waitFor();
    await write(JSON.stringify({ statement: [{ ...READ.statement[0], effect: "permit" }] }, null, 2));
    await page.getByText('must be "allow" or "deny"').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await write(JSON.stringify({ statement: READ.statement }, null, 2));
    await page.getByText("No faults found.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL("**/policies/ReadSales");
    expect(stored(await callApi(console, key, "GET", "/auth/policies/ReadSales"))).toEqual(READ.statement);
  });

  it("gets a note beside its line where another statement says the same and more", async () => {
    await page.goto("/policies/ReadSales");
    await page.getByLabel("Policy document", { exact: true }).getByText("fs:ReadObject").waitFor();
    const [wide] = READ.statement;
    const narrow = { ...wide, resource: `${wide?.resource.slice(0, -1)}2026/*` };
    await write(JSON.stringify({ statement: [wide, narrow] }, null, 2));
    await page.locator(".cm-lint-marker-info").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Discard changes", exact: true }).click();
  });

  it("keeps what was typed over a reload, and shows the error of the service", async () => {
    await page.goto("/policies/ReadSales");
    await page.getByLabel("Policy document", { exact: true }).waitFor();
    await write('{"statement": []}');
    await page.reload();
    await page.getByLabel("Policy document", { exact: true }).getByText('"statement": []').waitFor();
    const before = console.faults.length;
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").getByText("/statement").waitFor();
    expect(console.faults.splice(before)).toEqual([expect.stringContaining("400 (Bad Request)")]);
    await page.getByRole("button", { name: "Discard changes", exact: true }).click();
    await page.getByLabel("Policy document", { exact: true }).getByText("fs:ReadObject").waitFor();
  });

  it("says who gains what before it is saved", async () => {
    await callApi(console, key, "PUT", "/auth/users/bob/policies/ReadSales");
    await page.goto("/policies/ReadSales");
    await page.getByLabel("Policy document", { exact: true }).waitFor();
    const [statement] = READ.statement;
    await write(JSON.stringify({ statement: [{ ...statement, action: ["fs:*Object"] }] }, null, 2));
    await page.getByText("No faults found.").waitFor();
    await page.getByRole("button", { name: "What changes", exact: true }).click();
    const compared = page.getByRole("region", { name: "What changes if this is saved" });
    await compared.getByText("It applies to 1 user").waitFor();
    expect(await compared.textContent()).toMatch(
      /1 user: bob may then fs:\*Object on arn:svc:fs:::repository\/sales/,
    );
    expect(await seriousFindings(page)).toEqual([]);
    expect(stored(await callApi(console, key, "GET", "/auth/policies/ReadSales"))).toEqual(READ.statement);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const holders = page.getByRole("region", { name: "Users with this policy" });
    await holders.getByRole("link", { name: "bob", exact: true }).waitFor();
    await page.getByLabel("Group to attach it to", { exact: true }).fill("Viewers");
    await page.getByRole("button", { name: "Attach to group", exact: true }).click();
    const groups = page.getByRole("region", { name: "Groups with this policy" });
    await groups.getByRole("link", { name: "Viewers", exact: true }).waitFor();
    expect(JSON.stringify(await callApi(console, key, "GET", "/auth/policies/ReadSales"))).toContain(
      "fs:*Object",
    );
  });

  it("says what the comparison left out, where a bound was reached", async () => {
    const [statement] = READ.statement;
    const many = Array.from({ length: 110 }, (_, index) => {
      return { ...statement, resource: `arn:svc:fs:::repository/other-${index}/object/*` };
    });
    await write(JSON.stringify({ statement: many }, null, 2));
    await page.getByText("No faults found.").waitFor();
    await page.getByRole("button", { name: "What changes", exact: true }).click();
    const compared = page.getByRole("region", { name: "What changes if this is saved" });
    await compared.getByText("This is not the whole answer:").waitFor();
    await compared.getByText("10 more lines of access that is gained", { exact: true }).waitFor();
    expect(await compared.textContent()).toContain("It applies to at least 1 user");
    await page.getByRole("button", { name: "Discard changes", exact: true }).click();
  });

  it("is restored to an earlier version", async () => {
    await page.goto("/policies/ReadSales");
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^It applies to |^No user is affected/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await expect
      .poll(async () => stored(await callApi(console, key, "GET", "/auth/policies/ReadSales")))
      .toEqual(READ.statement);
    await page.getByLabel("Policy document", { exact: true }).getByText("fs:ReadObject").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("has its versions in pages, newest first", async () => {
    const [rule] = READ.statement;
    for (let version = 0; version < 60; version++) {
      const resource = `arn:svc:fs:::repository/sales/object/${version}/*`;
      await callApi(console, key, "PUT", "/auth/policies/ReadSales", {
        id: "ReadSales",
        statement: [{ ...rule, resource }],
      });
    }
    await page.goto("/policies/ReadSales");
    const rows = page.getByRole("table", { name: "versions" }).getByRole("row");
    await rows.nth(50).waitFor();
    const newest = await rows.nth(1).getByRole("radio").count();
    expect([await rows.count(), newest]).toEqual([51, 1]);
    const pages = page.getByRole("navigation", { name: "Pages of versions" });
    await pages.getByRole("button", { name: "Next page", exact: true }).click();
    await page.waitForURL("**/policies/ReadSales?versions-after=*");
    await expect.poll(() => rows.count()).toBeLessThan(51);
    expect(await rows.count()).toBeGreaterThan(10);
    await rows.last().getByRole("radio").check();
    await page.getByText(/compared with the policy as it is now/).waitFor();
    await pages.getByRole("button", { name: "First page", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(51);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("of a time that no calendar has is listed with the others", async () => {
    // Microseconds, as a client may send them to the data-server API.
    const body = JSON.stringify({ ...READ, name: "Timeless", creation_date: 1_790_000_000_000_000 });
    const made = await fetch(`${console.program.service}/api/v1/auth/policies`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_TOKEN}`, "content-type": "application/json" },
      body,
    });
    expect(made.status).toBe(201);
    await page.goto("/policies?after=S");
    const row = page.getByRole("row").filter({ hasText: "Timeless" });
    await expect.poll(() => row.textContent()).toContain("1790000000000000");
  });

  it("made no page fail, and no request left the origin", () => {
    expect(console.faults).toEqual([]);
  });
});
