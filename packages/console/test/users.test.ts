import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CHROMIUM,
  callApi,
  type Key,
  type OpenedConsole,
  openConsole,
  seriousFindings,
  signIn,
} from "./console.ts";

describe.skipIf(CHROMIUM === undefined)("in Chromium, the first administrator", () => {
  let console: OpenedConsole;
  let page: Page;
  const key: { current?: Key } = {};
  const carolsKey: { current?: Key } = {};

  beforeAll(async () => {
    console = await openConsole();
    page = await console.newPage();
  });
  afterAll(() => console.close());

  it("is led to the set-up, and gets a key with the token", async () => {
    await page.goto("/");
    // Whoever has a key signs in, whether the set-up is done or not (spec/security §6.2).
    await page.waitForURL("**/login*");
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await page.getByRole("link", { name: "set up the first one" }).click();
    await page.waitForURL("**/setup");
    await page.getByLabel("User name", { exact: true }).fill("root");
    await page.getByLabel("Setup token", { exact: true }).fill(console.setupToken);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Set up", exact: true }).click();
    await page.getByText("Keep the secret now").waitFor();
    const [access_key_id = "", secret_access_key = ""] = await page.locator("dd code").allTextContents();
    key.current = { access_key_id, secret_access_key };
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Continue to Sign in" }).click();
    await page.waitForURL("**/login");
  });

  it("signs in with it, and the cookie is out of reach of scripts", async () => {
    expect(await seriousFindings(page)).toEqual([]);
    await signIn(page, key.current as Key);
    await page.getByText("Signed in as root").waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: "access_token", httpOnly: true, sameSite: "Strict" });
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  it("creates a user with an access key that works", async () => {
    await page.goto("/users");
    await page.getByRole("button", { name: "Create user", exact: true }).click();
    await page.getByLabel("User name", { exact: true }).fill("carol");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.waitForURL("**/users/carol");
    await page.getByRole("heading", { level: 1, name: "carol" }).waitFor();
    await page.getByLabel("Add to group").fill("Viewers");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("link", { name: "Viewers", exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Create access key", exact: true }).click();
    await page.getByRole("button", { name: "Copy", exact: true }).waitFor();
    const [access_key_id = "", secret_access_key = ""] = await page
      .getByRole("region", { name: "New access key" })
      .locator("code")
      .allTextContents();
    expect(await seriousFindings(page)).toEqual([]);
    const made = { access_key_id, secret_access_key };
    carolsKey.current = made;
    expect(await callApi(console, made, "GET", "/user")).toMatchObject({ user: { id: "carol" } });
  });

  it("creates an access key that expires, and says so beside it", async () => {
    await page.goto("/users/carol");
    await page.getByLabel("that expires").selectOption({ label: "in a day" });
    await page.getByRole("button", { name: "Create access key", exact: true }).click();
    const made = page.getByRole("region", { name: "New access key" });
    await made.getByText(/^(in 23 hours|tomorrow)$/).waitFor();
    await page.getByText("expires soon").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const listed = await callApi(console, key.current as Key, "GET", "/auth/users/carol/credentials");
    const { results } = listed as { readonly results: readonly object[] };
    expect(results.map((one) => "expires_at" in one).sort()).toEqual([false, true]);
  });

  it("is not told a way of a policy that nobody has found out", async () => {
    const before = console.faults.length;
    const direct = "**/auth/users/carol/policies?amount=1000*";
    await page.route(direct, (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.goto("/users/carol");
    const policies = page.getByRole("table", { name: "policies", exact: true });
    await policies.getByText("group Viewers").first().waitFor();
    await policies.getByText("perhaps in other ways, too").first().waitFor();
    await page.unroute(direct);
    await page.reload();
    await policies.getByText("group Viewers").first().waitFor();
    await expect.poll(() => policies.getByText("perhaps in other ways, too").count()).toBe(0);
    console.faults.splice(before);
  });

  it("makes one key where somebody clicks twice", async () => {
    await callApi(console, key.current as Key, "POST", "/auth/users", { id: "dora" });
    await page.goto("/users/dora");
    await page.getByRole("button", { name: "Create access key", exact: true }).dblclick();
    await page.getByRole("region", { name: "New access key" }).waitFor();
    await page.waitForLoadState("networkidle");
    const listed = await callApi(console, key.current as Key, "GET", "/auth/users/dora/credentials");
    expect((listed as { readonly results: readonly object[] }).results).toHaveLength(1);
  });

  it("revokes the key that works, which is then refused", async () => {
    const made = carolsKey.current as Key;
    await page.goto("/users/carol");
    await page.getByRole("button", { name: `Delete access key ${made.access_key_id}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill(made.access_key_id);
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await expect(callApi(console, made, "GET", "/user")).rejects.toThrow(/^GET \/user: 401 /);
  });

  it("changes what is known of a user, and makes it inactive and active again", async () => {
    await page.goto("/users/carol");
    const edit = async () => {
      await page.getByRole("button", { name: "Edit user", exact: true }).click();
      return page.getByRole("dialog");
    };
    let dialog = await edit();
    await dialog.getByLabel("Friendly name", { exact: true }).fill("Carol C.");
    await dialog.getByLabel("E-mail", { exact: true }).fill("carol@example.com");
    await dialog.getByLabel(/^Active/).uncheck();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("This user is inactive").waitFor();
    const read = () => callApi(console, key.current as Key, "GET", "/auth/users/carol");
    expect(await read()).toMatchObject({
      friendly_name: "Carol C.",
      email: "carol@example.com",
      inactive: true,
    });
    dialog = await edit();
    await dialog.getByLabel(/^Active/).check();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("This user is inactive").waitFor({ state: "hidden" });
    expect(await read()).not.toHaveProperty("inactive");
  });

  it("keeps what was typed when the service refuses it, and reads the reason at the field", async () => {
    await page.goto("/users");
    await page.getByRole("button", { name: "Create user", exact: true }).click();
    const name = page.getByLabel("User name", { exact: true });
    await name.fill("da*ve");
    console.faults.length = 0;
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(await name.inputValue()).toBe("da*ve");
    expect(await page.locator(".problem").textContent()).toContain('must not contain "*"');
    // The browser itself reports each answer of 400 and above.
    expect(console.faults.splice(0)).toEqual([expect.stringContaining("400 (Bad Request)")]);
    // Both are about the name that stood there before.
    await name.fill("dave");
    await expect.poll(() => page.getByRole("alert").or(page.locator(".problem")).count()).toBe(0);
    await page.keyboard.press("Escape");
  });

  it.each([
    ["/users/ghost", /There is no such user: .* Look for it in Users\./],
    ["/groups/ghost", /There is no such group: .* Look for it in Groups\./],
    ["/policies/ghost", /There is no such policy: .* Look for it in Policies\./],
  ])("reads at %s what to do", async (address, text) => {
    await page.goto(address);
    await expect.poll(() => page.getByRole("alert").first().textContent()).toMatch(text);
    expect(console.faults.splice(0).filter((fault) => !/status of 404/.test(fault))).toEqual([]);
  });

  it("comes back to the same page after the session has ended", async () => {
    await page.goto("/users/carol?groups-search=View");
    await page.waitForLoadState("networkidle");
    await page.context().clearCookies();
    await page.goto("/users/carol?groups-search=View");
    await page.waitForURL("**/login?next=*");
    expect(console.faults.splice(0)).toEqual([expect.stringMatching(/401 .*\/api\/v1\/user$/)]);
    await signIn(page, key.current as Key);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/users/carol?groups-search=View");
  });

  it("deletes a user by name only", async () => {
    await page.goto("/users/carol");
    await page.getByRole("button", { name: "Delete user", exact: true }).click();
    const confirm = page.getByRole("button", { name: "Delete", exact: true }).last();
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel("Name", { exact: true }).fill("carol");
    await confirm.click();
    await page.waitForURL("**/users");
    await expect(callApi(console, key.current as Key, "GET", "/auth/users/carol")).rejects.toThrow("404");
  });

  it("made no page fail, and no request left the origin", () => {
    expect(console.faults).toEqual([]);
  });
});
