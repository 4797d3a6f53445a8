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

describe.skipIf(CHROMIUM === undefined)("in Chromium, an administrator reviews access", () => {
  let console: OpenedConsole;
  let page: Page;
  let key: Key;

  beforeAll(async () => {
    console = await openConsole({ "authorizer.decision_log.include": "all" });
    key = await setUp(console);
    const post = (path: string, body: unknown) => callApi(console, key, "POST", path, body);
    await post("/auth/users", { id: "alice" });
    await post("/auth/users", { id: "mallory" });
    await post("/auth/policies", {
      id: "ReadAll",
      accept: [{ rule: "broad-action", sid: "Reads", reason: "Auditors <read> all." }],
      statement: [
        { effect: "deny", action: ["fs:Delete*"], resource: "*" },
        { sid: "Reads", effect: "allow", action: ["fs:Read*"], resource: "*" },
      ],
    });
    await post("/auth/policies", {
      id: "JoinsGroups",
      accept: [{ rule: "self-escalation", reason: "The help desk runs the directory." }],
      statement: [{ effect: "allow", action: ["auth:AddGroupMember"], resource: "*" }],
    });
    await callApi(console, key, "PUT", "/auth/users/alice/policies/ReadAll");
    await callApi(console, key, "PUT", "/auth/users/mallory/policies/JoinsGroups");
    for (const name of ["a", "b", "c"]) {
      const resource = `arn:svc:fs:::repository/sales/object/2026/${name}`;
      await post("/auth/check", { user: "alice", required: { action: "fs:ReadObject", resource } });
    }
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(() => console.close());

  it("sees who is an administrator, and who can become one by which steps", async () => {
    await page.goto("/review");
    const list = page.getByRole("region", { name: "Administrators in effect" });
    await list.getByText("can become one").waitFor();
    const mallory = await list.getByRole("listitem").filter({ hasText: "mallory" }).first().textContent();
    expect(mallory).toContain(
      "JoinsGroups statement 0; accepts self-escalation: The help desk runs the directory.",
    );
    expect(await list.textContent()).toContain("admin is one");
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("sees what nobody uses", async () => {
    const unused = page.getByRole("region", { name: "Unused access" });
    await unused.getByText("Users", { exact: true }).click();
    await unused.getByRole("link", { name: "mallory", exact: true }).waitFor();
    expect(await unused.getByRole("link", { name: "alice", exact: true }).count()).toBe(0);
  });

  it("sees through which statement somebody may what, by its number and name, and what was accepted", async () => {
    const access = page.getByRole("region", { name: "Who may what" });
    await access.getByText("alice", { exact: true }).first().click();
    await access.getByText("ReadAll statement 1 (Reads)").first().waitFor();
    expect(await access.textContent()).toContain(
      "ReadAll statement 1 (Reads); accepts broad-action: Auditors <read> all.",
    );
    const unused = page.getByRole("region", { name: "Unused access" });
    await unused.getByText("Statements", { exact: true }).click();
    await unused.getByText("ReadAll statement 0").waitFor();
    expect(await unused.textContent()).not.toContain("ReadAll statement 0; accepts");
  });

  it("gets a smaller policy suggested", async () => {
    await page.getByLabel("Name", { exact: true }).fill("alice");
    await page.getByRole("button", { name: "Suggest", exact: true }).click();
    const found = page.getByRole("region", { name: "Suggestions" });
    await found.getByText(/3 different requests/).waitFor();
    expect(await found.textContent()).toContain("sales");
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("exports the whole", async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export", exact: true }).click();
    expect((await download).suggestedFilename()).toBe("access-review.json");
  });

  it("pages and searches administrators and kinds of access, where there are many", async () => {
    for (let index = 10; index < 70; index++) {
      const id = `admin-${index}`;
      await callApi(console, key, "POST", "/auth/users", { id });
      await callApi(console, key, "PUT", `/auth/users/${id}/policies/AuthFullAccess`);
      await callApi(console, key, "POST", "/auth/policies", {
        id: `Reads-${index}`,
        statement: [
          { effect: "allow", action: ["fs:Read*"], resource: `arn:svc:fs:::repository/r-${index}` },
        ],
      });
      await callApi(console, key, "PUT", `/auth/users/${id}/policies/Reads-${index}`);
    }
    await page.goto("/review");
    for (const [title, what, found] of [
      ["Administrators in effect", "administrators", "admin-69"],
      ["Who may what", "kinds of access", "r-69"],
    ] as const) {
      const region = page.getByRole("region", { name: title });
      const pages = region.getByRole("navigation", { name: `Pages of ${what}` });
      const items = region.locator(what === "administrators" ? ".list > ul > li" : ".list > details");
      await pages.getByRole("button", { name: "Next page", exact: true }).click();
      await expect.poll(() => items.count()).toBeLessThan(50);
      expect(await items.count()).toBeGreaterThan(9);
      await pages.getByRole("button", { name: "Previous page", exact: true }).click();
      await expect.poll(() => items.count()).toBe(50);
      await region.getByLabel(`Search ${what}`).fill(found.toUpperCase());
      await expect.poll(() => items.count()).toBe(1);
      expect(await items.first().textContent()).toContain("admin-69");
      await region.getByLabel(`Search ${what}`).fill("nobody has this");
      await region.getByText(`None of the ${what} has this text.`).waitFor();
    }
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("and no page failed or left the origin", () => {
    expect(console.faults).toEqual([]);
  });
});
