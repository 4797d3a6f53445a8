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

const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const RIGHT_TO_LEFT = "\u202eevil \u05e9\u05dc\u05d5\u05dd";
const ENDLESS = "x".repeat(4_000);

describe.skipIf(CHROMIUM === undefined)("in Chromium, a person", () => {
  let console: OpenedConsole;
  let admin: Key;

  const newUser = async (id: string, ...groups: string[]): Promise<Key> => {
    await callApi(console, admin, "POST", "/auth/users", { id });
    for (const group of groups) {
      await callApi(console, admin, "PUT", `/auth/groups/${group}/members/${encodeURIComponent(id)}`);
    }
    const path = `/auth/users/${encodeURIComponent(id)}/credentials`;
    return (await callApi(console, admin, "POST", path)) as Key;
  };
  const labels = async (page: Page): Promise<readonly string[]> =>
    page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link").allTextContents();

  beforeAll(async () => {
    console = await openConsole();
    admin = await setUp(console);
  }, 90_000);
  afterAll(() => console.close());

  it.each(["Viewers", "Developers", "SuperUsers"])(
    "of group %s is offered nothing that the API refuses",
    async (group) => {
      const key = await newUser(`member-of-${group}`, group);
      const page = await console.newPage();
      await signIn(page, key);
      await page.goto("/account");
      await page.getByRole("button", { name: "Create access key", exact: true }).waitFor();
      for (const label of ["Users", "Groups", "Policies", "Decisions"]) {
        expect(await labels(page)).not.toContain(label);
      }
      expect(await seriousFindings(page)).toEqual([]);
      expect(console.faults).toEqual([]);
      for (const address of ["/users", "/groups", "/policies", "/create-policy", "/users/admin"]) {
        await page.goto(address);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForLoadState("networkidle");
        for (const name of ["Create user", "Create group", "Create policy", "Delete user", "Attach", "Add"]) {
          expect(await page.getByRole("button", { name, exact: true }).count(), `${address}: ${name}`).toBe(
            0,
          );
        }
      }
      // The addresses were typed in, so that the API refused them.
      expect(console.faults.splice(0).every((fault) => fault.includes("401"))).toBe(true);
      await page.context().close();
    },
  );

  it("without rights sees nothing but the account, which names the missing permission", async () => {
    const page = await console.newPage();
    await signIn(page, await newUser("nobody"));
    await page.goto("/account");
    await page.getByText("auth:ListCredentials").waitFor();
    expect(await page.getByRole("button", { name: "Create access key" }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL("**/login");
    expect(await page.context().cookies()).toEqual([]);
    expect(console.faults).toEqual([]);
    await page.context().close();
  });

  it("reads hostile names and texts as text, at any width, and they break no layout", async () => {
    const statement = [
      {
        effect: "allow",
        action: ["fs:ReadObject"],
        resource: `arn:svc:fs:::repository/${"y".repeat(3000)}/*`,
      },
      { effect: "deny", action: ["fs:*"], resource: `arn:svc:fs:::repository/${MARKUP}` },
    ];
    await callApi(console, admin, "POST", "/auth/users", { id: MARKUP });
    await callApi(console, admin, "POST", "/auth/users", { id: RIGHT_TO_LEFT.slice(1) });
    await callApi(console, admin, "POST", "/auth/users", { id: "w".repeat(1_000) });
    await callApi(console, admin, "POST", "/auth/groups", { id: "Hostile", description: ENDLESS });
    await callApi(console, admin, "POST", "/auth/groups", {
      id: RIGHT_TO_LEFT.slice(1),
      description: MARKUP,
    });
    await callApi(console, admin, "POST", "/auth/policies", { id: "Hostile", statement });
    const names = ["/users", "/groups", "/policies", "/groups/Hostile", "/policies/Hostile"];
    const users = [MARKUP, "w".repeat(1_000)].map((id) => `/users/${encodeURIComponent(id)}`);
    for (const width of [1440, 390]) {
      const page = await console.newPage({ viewport: { width, height: 844 }, colorScheme: "dark" });
      await signIn(page, admin);
      for (const address of [...names, ...users]) {
        await page.goto(address);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForLoadState("networkidle");
        const tooWide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(tooWide, `${address.slice(0, 40)} at ${width}`).toBeLessThanOrEqual(0);
        expect(await page.locator("main img, main script").count()).toBe(0);
      }
      await page.context().close();
    }
    expect(console.faults).toEqual([]);
  }, 90_000);
});
