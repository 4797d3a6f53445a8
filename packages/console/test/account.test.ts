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

describe.skipIf(CHROMIUM === undefined)("in Chromium, a person", () => {
  let console: OpenedConsole;
  let admin: Key;

  const newUser = async (id: string): Promise<Key> => {
    await callApi(console, admin, "POST", "/auth/users", { id });
    return (await callApi(console, admin, "POST", `/auth/users/${id}/credentials`)) as Key;
  };
  beforeAll(async () => {
    console = await openConsole();
    admin = await setUp(console);
  });
  afterAll(() => console.close());

  it("without rights who types an address reads which permission is missing, and the API is not even asked", async () => {
    const page = await console.newPage();
    await signIn(page, await newUser("curious"));
    for (const [address, action] of [
      ["/", undefined],
      ["/users", "auth:ListUsers"],
      ["/create-policy", "auth:CreatePolicy"],
      ["/who-can", "auth:ReadUser"],
      ["/decisions", "auth:ReadDecisions"],
    ] as const) {
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      // The start is the first page that one may see.
      if (action === undefined) await page.waitForURL("**/playground");
      else expect(await page.getByRole("alert").textContent()).toContain(action);
      expect(await seriousFindings(page)).toEqual([]);
    }
    expect(console.faults).toEqual([]);
    await page.context().close();
  });

  it("sees under Account where else somebody is signed in, and ends that session", async () => {
    const key = await newUser("roaming");
    await callApi(console, admin, "PUT", "/auth/users/roaming/policies/AuthManageOwnCredentials");
    const [page, elsewhere] = [await console.newPage(), await console.newPage()];
    await signIn(elsewhere, key);
    await signIn(page, key);
    await page.goto("/account");
    await page.getByText("this session").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "End the session from 127.0.0.1" }).click();
    await page.getByRole("status").getByText("The session has ended.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^End the session/ }).count()).toBe(0);
    await elsewhere.goto("/account");
    await elsewhere.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/account");
    await page.getByText("this session").waitFor();
    for (const one of [page, elsewhere]) await one.context().close();
  });

  it("whose key is refused reads what to do, and the refusal goes with the next key that is typed", async () => {
    const page = await console.newPage();
    await page.goto("/login");
    await page.getByLabel("Access key ID", { exact: true }).fill("AKIAJNOBODYSKEYXXXXQ");
    await page.getByLabel("Secret access key", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/does not accept this access key\. Check that ID and secret/);
    await page.getByLabel("Secret access key", { exact: true }).fill("better");
    await expect.poll(() => alert.count()).toBe(0);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await alert.waitFor();
    expect(console.faults.splice(0).filter((fault) => !/status of 401/.test(fault))).toEqual([]);
    await page.context().close();
  });

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
});
