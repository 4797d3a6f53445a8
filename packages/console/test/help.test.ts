import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, type OpenedConsole, openConsole, seriousFindings } from "./console.ts";

const PAGES = ["/help", "/help/model", "/help/first-steps", "/help/search?q=deny", "/help/nothing"];
/** Looking at the thousands of elements of this page takes a while, so it is looked at in one of the ways. */
const LONG_PAGE = "/help/api";

describe.skipIf(CHROMIUM === undefined)("in Chromium, the help", () => {
  let console: OpenedConsole;
  beforeAll(async () => {
    console = await openConsole();
  });
  afterAll(() => console?.close());

  it.each([
    { name: "wide and light", pages: [...PAGES, LONG_PAGE], options: { colorScheme: "light" } as const },
    // Only the colours differ from what was looked at.
    {
      name: "wide and dark",
      pages: PAGES,
      options: { colorScheme: "dark" } as const,
      rules: ["color-contrast"],
    },
    { name: "narrow", pages: PAGES, options: { viewport: { width: 390, height: 844 } } },
  ])(
    "is read by everybody, $name, without an error and without leaving the origin",
    async ({ pages, options, rules }) => {
      const page = await console.newPage(options);
      for (const path of pages) {
        await page.goto(path);
        expect(await seriousFindings(page, rules)).toEqual([]);
        expect([path, await overflow(page)]).toEqual([path, 0]);
      }
      const expected = /the server responded with a status of 404/;
      expect(console.faults.filter((fault) => !expected.test(fault))).toEqual([]);
      await page.context().close();
    },
  );

  it("leads from the list of pages to a page, from there to a heading, and finds what is searched for", async () => {
    const page = await console.newPage();
    await page.goto("/help");
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Management API" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Management API" }).waitFor();
    const contents = page.getByRole("navigation", { name: "On this page" });
    await contents.getByRole("link", { name: "Statuses" }).click();
    expect(new URL(page.url()).hash).toBe("#statuses");
    await page.getByRole("searchbox", { name: "Search the help" }).fill("setup token");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Management API: The first administrator" }).click();
    await page.getByRole("heading", { name: "The first administrator" }).waitFor();
    await page.context().close();
  });

  it("opens an operation by its address, and filters operations by words", async () => {
    const page = await console.newPage();
    await page.goto("/help/api#service-check");
    const check = page.locator("#service-check");
    await check.getByText("Answers").waitFor();
    await page.getByLabel("Find an operation").fill("policies compare who loses");
    await page.getByText("1 operation", { exact: true }).waitFor();
    expect(await page.locator("details.operation:visible").count()).toBe(1);
    await page.locator("#user-comparePolicy summary").first().click();
    await page.locator("#user-comparePolicy").getByText("left_out").first().waitFor();
    expect(new URL(page.url()).hash).toBe("#user-comparePolicy");
    await page.getByLabel("Find an operation").fill("");
    expect(await page.locator("details.operation:visible").count()).toBeGreaterThan(80);
    await page.context().close();
  });
});

/** Pixels by which the page is wider than its window. */
async function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}
