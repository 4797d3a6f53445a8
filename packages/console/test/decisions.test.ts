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

const OBJECT = "arn:svc:fs:::repository/sales/object/a.csv";

describe.skipIf(CHROMIUM === undefined)("in Chromium, an administrator reads the decision log", () => {
  let console: OpenedConsole;
  let page: Page;
  const held: { key?: Key } = {};

  const check = (user: string, action: string) =>
    callApi(console, held.key as Key, "POST", "/auth/check", {
      user,
      required: { action, resource: OBJECT },
    });

  beforeAll(async () => {
    console = await openConsole({ "authorizer.decision_log.include": "all" });
    held.key = await setUp(console);
    await callApi(console, held.key, "POST", "/auth/users", { id: "alice" });
    await check("alice", "fs:ReadObject");
    await check("admin", "fs:WriteObject");
    page = await console.newPage();
    await signIn(page, held.key);
  });
  afterAll(() => console.close());

  it("sees the state of the service first", async () => {
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.getByText("Ready", { exact: true }).waitFor();
    await page.getByRole("img", { name: /refused in the last six hours/ }).waitFor();
    await page.getByText("may attach any policy to any user").waitFor();
    expect(await page.getByRole("table", { name: "changes" }).textContent()).toContain("alice");
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("filters the records, and the address holds the filter", async () => {
    await page.getByRole("link", { name: "Decisions", exact: true }).click();
    await page.getByRole("row", { name: /alice/ }).first().waitFor();
    await page.getByLabel("Subject", { exact: true }).fill("al*");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.waitForURL("**/decisions?subject=al*");
    await expect.poll(() => page.getByRole("row", { name: /fs:WriteObject/ }).count()).toBe(0);
    expect(await page.getByRole("row", { name: /alice/ }).first().textContent()).toContain("Refused");
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("has a record explained, on the directory of its revision", async () => {
    await page
      .getByRole("button", { name: /^Explain d-/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Refused", { exact: true }).waitFor();
    await dialog.getByText("No statement of the user's policies comes near.").waitFor();
    expect(await dialog.textContent()).toContain(OBJECT);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("writes a policy from it, which then exists and is attached to nobody", async () => {
    await page.getByRole("button", { name: "Write a policy from this", exact: true }).click();
    await page.getByLabel("Name of the new policy", { exact: true }).fill("ReadOne");
    await page.getByRole("button", { name: "Create the policy", exact: true }).click();
    await page.waitForURL("**/policies/ReadOne");
    expect(await callApi(console, held.key as Key, "GET", "/auth/policies/ReadOne")).toMatchObject({
      statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: OBJECT }],
    });
  });

  it("is offered no policy where none would have allowed it", async () => {
    await check("nobody-knows-me", "fs:ReadObject");
    await page.goto("/decisions?subject=nobody-knows-me");
    await page
      .getByRole("button", { name: /^Explain d-/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("unknown user", { exact: true }).waitFor();
    await dialog.getByText("No statement of the user's policies comes near.").waitFor();
    const offered = dialog.getByRole("button", { name: "Write a policy from this", exact: true });
    expect(await offered.count()).toBe(0);
  });

  it("sees new records come in", async () => {
    await page.goto("/decisions?live=1&subject=alice&action=fs:DeleteObject");
    const empty = page.getByText("No record fits.", { exact: false });
    await empty.waitFor();
    await expect
      .poll(async () => {
        await check("alice", "fs:DeleteObject");
        return page.getByRole("row", { name: /fs:DeleteObject/ }).count();
      })
      .toBeGreaterThan(0);
    expect(await empty.count()).toBe(0);
  });

  /** The ids that the page shows, and those of as many newest records. */
  const shownAndNewest = async (query: string) => {
    const labels = await page
      .getByRole("button", { name: /^Explain d-/ })
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
    const shown = labels.map((label) => label?.replace("Explain ", ""));
    const found = await callApi(console, held.key as Key, "GET", `/decisions?${query}&amount=1000`);
    const { results } = found as { readonly results: readonly { readonly id: string }[] };
    return [shown, results.slice(0, shown.length).map(({ id }) => id)];
  };

  it("misses none of those that came while the connection was broken", async () => {
    const query = "subject=alice&action=fs:WriteObject";
    const before = console.faults.length;
    const stream = "**/decisions/stream?*";
    // A connection that ends at once, as behind a proxy that gives up.
    const ended = { contentType: "text/event-stream", body: "retry: 100\n\n" };
    await page.route(stream, (route) => route.fulfill(ended));
    await page.goto(`/decisions?live=1&${query}`);
    const broken = page.getByText("New records do not arrive at the moment.");
    await broken.waitFor();
    await page.getByText("Records of node").waitFor();
    for (let count = 0; count < 3; count++) await check("alice", "fs:WriteObject");
    await page.unroute(stream);
    await expect.poll(() => broken.count()).toBe(0);
    await check("alice", "fs:WriteObject");
    await expect
      .poll(async () => {
        const [shown = [], newest] = await shownAndNewest(query);
        return shown.length >= 4 && JSON.stringify(shown) === JSON.stringify(newest);
      })
      .toBe(true);
    console.faults.splice(before);
  });

  it("misses none where very many come in", async () => {
    const query = "subject=alice&action=fs:ReadTag";
    await page.goto(`/decisions?live=1&${query}`);
    await expect
      .poll(async () => {
        await check("alice", "fs:ReadTag");
        return page.getByRole("row", { name: /fs:ReadTag/ }).count();
      })
      .toBeGreaterThan(1);
    for (let count = 0; count < 300; count += 20) {
      await Promise.all(Array.from({ length: 20 }, () => check("alice", "fs:ReadTag")));
    }
    await expect
      .poll(async () => {
        const [shown = [], newest = []] = await shownAndNewest(query);
        return shown.length >= 50 && JSON.stringify(shown.toSorted()) === JSON.stringify(newest.toSorted());
      })
      .toBe(true);
  });

  it("and no page failed or left the origin", () => {
    expect(console.faults).toEqual([]);
  });
});
