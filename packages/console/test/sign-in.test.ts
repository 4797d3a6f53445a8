/** Signing in with an identity provider, in Chromium (spec/sign-in §1). */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { CLIENT, startProvider, type TestProvider } from "../../../test/sign-in/test-provider.ts";
import { CHROMIUM, type OpenedConsole, openConsole, seriousFindings } from "./console.ts";

describe.skipIf(CHROMIUM === undefined)("console: signing in with an identity provider", () => {
  let console: OpenedConsole;
  let provider: TestProvider;

  beforeAll(async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    provider = await startProvider([`${origin}/oidc/callback`]);
    provider.claims = { sub: "s-1", preferred_username: "alice" };
    console = await openConsole({
      listen_address: `127.0.0.1:${port}`,
      "authorizer.sign_in.origins": [origin],
      "authorizer.oidc.issuers": [
        {
          // A name that every object has as a member.
          name: "constructor",
          title: "Example",
          issuer: provider.issuer,
          sign_in: true,
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          username_claim: "preferred_username",
          create_users: true,
          end_session: true,
        },
      ],
    });
  });

  afterAll(async () => {
    await console?.close();
    await provider?.close();
  });

  it("offers the provider before the access key, by keyboard and without serious findings", async () => {
    const page = await console.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Example" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Continue with Example" }).focus();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Continue with Example");
  });

  it("offers the ways as they are configured, and then the one that was used last first", async () => {
    const page = await console.newPage();
    await page.goto("/login");
    const waysIn = () =>
      page.locator("main a.button, main form").evaluateAll((all) => all.map((one) => one.textContent));
    await expect.poll(waysIn).toEqual(["Continue with Example", expect.stringContaining("Access key ID")]);
    await page.evaluate(`localStorage.setItem("console.last-way", "access_key")`);
    await page.reload();
    await expect.poll(waysIn).toEqual([expect.stringContaining("Access key ID"), "Continue with Example"]);
  });

  it("signs in, and opens the page that was asked for", async () => {
    const page = await console.newPage();
    await page.goto("/login?next=/account");
    await page.getByRole("link", { name: "Continue with Example" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByText("alice").first().waitFor();
  });

  it("signs out at the provider, too, and comes back", async () => {
    const page = await console.newPage();
    await page.goto("/login?next=/account");
    await page.getByRole("link", { name: "Continue with Example" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(({ origin }) => origin === provider.issuer);
    await page.getByRole("button", { name: /^Yes/ }).click();
    await page.waitForURL(({ origin, pathname }) => origin !== provider.issuer && pathname === "/login");
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name)).not.toContain("access_token");
  });

  it("works without JavaScript", async () => {
    const page = await console.newPage({ javaScriptEnabled: false });
    await page.goto("/login");
    await page.getByRole("link", { name: "Signing in" }).click();
    await page.getByRole("link", { name: "Continue with Example" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/");
    const cookies = await page.context().cookies();
    const ours = cookies.filter(({ name }) => !name.startsWith("_"));
    expect(ours.map(({ name, sameSite }) => `${name} ${sameSite}`).sort()).toEqual([
      "access_token Strict",
      "internal_auth_session Lax",
    ]);
  });

  it("says on the way back why somebody is not signed in", async () => {
    provider.cancels = true;
    const page = await console.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Example" }).click();
    await page.getByText("did not let you sign in").waitFor();
    await page.getByRole("link", { name: "Back to sign-in" }).click();
    await page.getByRole("link", { name: "Continue with Example" }).waitFor();
  });
});
