/** Pages ask for the state that they have seen last at least (spec/journal §6.3). */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";

const MINIMUM = "x-svc-min-revision";

describe.skipIf(CHROMIUM === undefined)("the console behind a balancer", () => {
  let opened: OpenedConsole;
  let page: Page;

  beforeAll(async () => {
    opened = await openConsole();
    page = await opened.newPage();
    await signIn(page, await setUp(opened));
  });
  afterAll(() => opened?.close());

  async function createUser(name: string): Promise<void> {
    await page.getByRole("button", { name: "Create user", exact: true }).click();
    await page.getByLabel("User name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Create", exact: true }).click();
  }

  it("sends the revision of a write with what it asks next", async () => {
    await page.goto("/users");
    const written = page.waitForResponse((answer) => answer.request().method() === "POST");
    const read = written.then(() =>
      page.waitForRequest((request) => request.method() === "GET" && request.url().includes("/api/v1/")),
    );
    await createUser("alice");
    const revision = await (await written).headerValue("x-svc-revision");
    expect(revision).toMatch(/^\d+\.[\w-]+$/);
    expect(await (await read).headerValue(MINIMUM)).toBe(revision);
    await page.getByRole("heading", { name: "alice" }).waitFor();
  });

  it("forgets it where the service has another log, and asks again", async () => {
    const asked: (string | undefined)[] = [];
    await page.route("**/api/v1/auth/groups?**", async (route) => {
      const minimum = route.request().headers()[MINIMUM];
      asked.push(minimum);
      if (minimum === undefined) return route.continue();
      const body = JSON.stringify({ code: "other_log", message: "the log of this directory is another one" });
      return route.fulfill({ status: 409, contentType: "application/json", body });
    });
    // A list that the page does not know yet.
    await page.getByRole("link", { name: "Groups", exact: true }).first().click();
    await page.getByRole("link", { name: "Admins", exact: true }).waitFor();
    expect(asked.slice(0, 2)).toEqual([expect.any(String), undefined]);
    await page.unroute("**/api/v1/auth/groups?**");
  });

  it("says of a write that the state went back, which it does not repeat by itself", async () => {
    const asked: (string | undefined)[] = [];
    await page.goto("/users");
    await page.route("**/api/v1/auth/users", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const minimum = route.request().headers()["x-svc-min-position"];
      asked.push(minimum);
      if (minimum === undefined) return route.continue();
      const body = JSON.stringify({ code: "went_back", message: "the entry is not in the log" });
      return route.fulfill({ status: 409, contentType: "application/json", body });
    });
    await createUser("bob");
    await page.getByText("The directory went back to an earlier state").first().waitFor();
    expect(asked).toEqual([expect.stringMatching(/^\d+(\.[\w-]{8}){2}$/)]);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "bob" }).waitFor();
    await page.unroute("**/api/v1/auth/users");
  });
});
