/** The names of spec/console §2: each belongs to exactly one visible control of its page. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, callApi, type Key, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";
import { visit } from "./visit.ts";

const OBJECT = "arn:svc:fs:::repository/sales/object/a.csv";
const question = (of: Record<string, string>): string => `${new URLSearchParams(of)}`;
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();

interface Case {
  readonly address: string;
  readonly title: string;
  /** Names of text inputs, and of buttons. */
  readonly fields?: readonly string[];
  readonly buttons?: readonly string[];
  /** Is done before the names are looked for. */
  readonly before?: (page: Page) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  { address: "/", title: "Overview" },
  { address: "/users", title: "Users", buttons: ["Create user"] },
  {
    address: "/users?new",
    title: "Users",
    fields: ["User name"],
    buttons: ["Create"],
    before: (page) => press(page, "Create user"),
  },
  {
    address: "/users/alice",
    title: "alice",
    buttons: ["Copy"],
    before: (page) => press(page, "Create access key"),
  },
  { address: "/groups", title: "Groups", buttons: ["Create group"] },
  { address: "/policies", title: "Policies", buttons: ["Create policy"] },
  {
    address: "/create-policy",
    title: "New policy",
    fields: ["Policy name"],
    buttons: ["Save", "What changes"],
  },
  { address: "/policies/Reads", title: "Reads", buttons: ["Save", "What changes", "Restore"] },
  { address: "/playground", title: "Playground", fields: ["User", "Action", "Resource"], buttons: ["Ask"] },
  {
    address: `/playground?${question({ user: "alice", action: "fs:ReadObject", resource: OBJECT })}`,
    title: "Playground",
    fields: ["User", "Action", "Resource"],
    buttons: ["Ask", "Copy as test case", "Copy as curl", "Copy as svcctl", "Try with this edited policy"],
    before: (page) => press(page, "Add a policy"),
  },
  {
    address: `/who-can?${question({ action: "fs:ReadObject", resource: OBJECT })}`,
    title: "Who can",
    fields: ["Action", "Resource"],
    buttons: ["Ask"],
  },
  {
    address: "/decisions?subject=alice",
    title: "Decisions",
    buttons: ["Write a policy from this"],
    before: (page) =>
      page
        .getByRole("button", { name: /^Explain d-/ })
        .first()
        .click(),
  },
  { address: "/review", title: "Review" },
  { address: "/account", title: "Account" },
];

describe.skipIf(CHROMIUM === undefined)("in Chromium, the page", () => {
  let console: OpenedConsole;
  let page: Page;

  const expectOne = async (fields: readonly string[], buttons: readonly string[]): Promise<void> => {
    for (const name of fields) {
      const field = page.getByLabel(name, { exact: true }).filter({ visible: true });
      await field.first().waitFor();
      expect([name, await field.count()]).toEqual([name, 1]);
      expect(await field.getAttribute("type")).toMatch(/^(?:text|password)$/);
    }
    for (const name of buttons) {
      const button = page.getByRole("button", { name, exact: true });
      await button.first().waitFor();
      expect([name, await button.count()]).toEqual([name, 1]);
    }
  };

  beforeAll(async () => {
    console = await openConsole({ "authorizer.decision_log.include": "all" });
    const key: Key = await setUp(console);
    const call = (method: string, path: string, body?: unknown) => callApi(console, key, method, path, body);
    const statement = [{ effect: "allow", action: ["fs:ListObjects"], resource: "*" }];
    await call("POST", "/auth/users", { id: "alice" });
    await call("POST", "/auth/policies", { id: "Reads", statement });
    await call("PUT", "/auth/policies/Reads", { id: "Reads", statement: [...statement, ...statement] });
    await call("POST", "/auth/check", {
      user: "alice",
      required: { action: "fs:ReadObject", resource: OBJECT },
    });
    page = await console.newPage();
    await page.goto("/login");
    await expectOne(["Access key ID", "Secret access key"], ["Sign in"]);
    expect(await page.locator("h1").allTextContents()).toEqual(["Sign in"]);
    await signIn(page, key);
  });
  afterAll(() => console.close());

  it.each(CASES)(
    "$title at $address has its names",
    async ({ address, title, fields = [], buttons = [], before }) => {
      await visit(page, address);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      await before?.(page);
      await expectOne(fields, buttons);
      expect(await page.locator("h1").count()).toBe(1);
      expect(console.faults).toEqual([]);
    },
  );

  it("of the playground answers in a status that begins with the outcome", async () => {
    await page.goto("/playground");
    for (const [user, outcome] of [
      ["alice", /^Refused/],
      ["admin", /^Allowed/],
    ] as const) {
      await page.getByLabel("User", { exact: true }).fill(user);
      await page.getByLabel("Action", { exact: true }).fill("fs:ReadObject");
      await page.getByLabel("Resource", { exact: true }).fill(OBJECT);
      await press(page, "Ask");
      await page.getByRole("status").filter({ hasText: outcome }).waitFor();
    }
  });

  it("of an error has an alert", async () => {
    await page.goto("/users/nobody-there");
    await page.getByRole("alert").waitFor();
    expect(console.faults.splice(0).every((fault) => fault.includes("404"))).toBe(true);
  });
});
