/** Nothing that somebody else saved while a person was at work is lost in silence. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, callApi, type Key, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";

const statements = (name: string) => [
  { effect: "allow", action: ["fs:ReadObject"], resource: `arn:svc:fs:::repository/${name}/object/*` },
];

describe.skipIf(CHROMIUM === undefined)("in Chromium, a policy that somebody else saves", () => {
  let console: OpenedConsole;
  let page: Page;
  let key: Key;

  const api = (method: string, path: string, body?: unknown) => callApi(console, key, method, path, body);
  const stored = async (): Promise<unknown> =>
    ((await api("GET", "/auth/policies/Sales")) as { readonly statement: unknown }).statement;
  const put = (name: string) =>
    api("PUT", "/auth/policies/Sales", { id: "Sales", statement: statements(name) });
  const editor = () => page.getByLabel("Policy document", { exact: true });
  const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
  const warning = () => page.getByText("Somebody saved this policy after you began to change it.");
  const write = async (name: string): Promise<void> => {
    await editor().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(JSON.stringify({ statement: statements(name) }, null, 2));
  };

  beforeAll(async () => {
    console = await openConsole();
    key = await setUp(console);
    await api("POST", "/auth/policies", { id: "Sales", statement: statements("first") });
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(() => console.close());

  it("is shown before it is replaced, though the page did not know of it", async () => {
    await page.goto("/policies/Sales");
    await editor().getByText("first").waitFor();
    await write("mine");
    await put("theirs");
    await save();
    await warning().waitFor();
    expect(await stored()).toEqual(statements("theirs"));
    await save();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect(await stored()).toEqual(statements("mine"));
  });

  it("is told of after the page was loaded again with what was typed", async () => {
    await write("draft");
    await put("other");
    await page.reload();
    await editor().getByText("draft").waitFor();
    await warning().waitFor();
    await page.getByRole("button", { name: "Discard changes", exact: true }).click();
    await editor().getByText("other").waitFor();
    expect(await warning().count()).toBe(0);
    await page.reload();
    await editor().getByText("other").waitFor();
    expect(console.faults).toEqual([]);
  });
});
