/** Passwords in the console: signing in, changing one's own, asking for a mail, in Chromium (spec/sign-in §6). */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, startServer, stopServers, tokenOf } from "../../../test/mail/mail-server.ts";
import {
  CHROMIUM,
  callApi,
  type Key,
  type OpenedConsole,
  openConsole,
  seriousFindings,
  setUp,
} from "./console.ts";

const PASSWORD = "correct horse battery";
const NEXT = "staple horse correct";
const EMAIL = "alice@example.com";

describe.skipIf(CHROMIUM === undefined)("console: passwords", () => {
  let console: OpenedConsole;
  let mails: MailServer;
  let admin: Key;

  beforeAll(async () => {
    mails = await startServer();
    console = await openConsole({
      "authorizer.passwords.enabled": true,
      "email.smtp_host": "127.0.0.1",
      "email.smtp_port": mails.port,
      "email.sender": "data@example.com",
    });
    admin = await setUp(console, "admin");
    await callApi(console, admin, "POST", "/auth/users", { id: EMAIL, invite_user: true });
  });

  afterAll(async () => {
    await console?.close();
    await stopServers();
  });

  async function nextToken(count: number): Promise<string> {
    await expect.poll(() => mails.mails.length).toBe(count);
    return tokenOf(mails.mails[count - 1]!);
  }

  async function signInWith(password: string) {
    const page = await console.newPage();
    await page.goto("/login?next=/account");
    await page.getByLabel("User name", { exact: true }).fill(EMAIL);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByLabel("Password", { exact: true }).press("Enter");
    return page;
  }

  it("are set on the page of an invitation, which is without serious findings", async () => {
    const page = await console.newPage({ javaScriptEnabled: true });
    await page.goto(`/auth/invite?token=${await nextToken(1)}`);
    await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password again", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set my password" }).click();
    await page.getByRole("heading", { name: "Your password is set" }).waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("sign in by keyboard, and say in words where one is wrong", async () => {
    const wrong = await signInWith("not the password");
    await wrong.getByRole("alert").getByText("The user name or the password is not right").waitFor();
    expect(await seriousFindings(wrong)).toEqual([]);
    const page = await signInWith(PASSWORD);
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByText("The session ends").waitFor();
    await page.goto("/login");
  });

  it("sign in without JavaScript, and the page says where one is wrong", async () => {
    const page = await console.newPage({ javaScriptEnabled: false });
    await page.goto("/device");
    await page.getByRole("link", { name: "Sign in another way" }).click();
    const send = async (password: string) => {
      await page.getByLabel("User name, or access key ID").fill(EMAIL);
      await page.getByLabel("Password, or secret access key").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await send("not the password");
    await page.getByRole("alert").getByText("This is not right").waitFor();
    await send(PASSWORD);
    await page.waitForURL(({ pathname }) => pathname === "/device");
    await page.getByText(`You are signed in as ${EMAIL}`).waitFor();
  });

  it("are changed under Account, which says until when the session holds and where groups come from", async () => {
    const page = await signInWith(PASSWORD);
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByRole("heading", { name: "Where your groups come from" }).waitFor();
    await page.getByLabel("Present password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("a password has at least 15 characters").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("New password", { exact: true }).fill(NEXT);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Your password is changed").waitFor();
    await (await signInWith(NEXT)).waitForURL(({ pathname }) => pathname === "/account");
  });

  it("are asked for anew by mail", async () => {
    const page = await console.newPage();
    await page.goto("/login");
    await page.getByText("Forgot your password?").click();
    await page.getByLabel("E-mail address").fill(EMAIL);
    await page.getByRole("button", { name: "Send me a mail" }).click();
    await page.getByRole("status").getByText("a mail is on its way").waitFor();
    await page.goto(`/auth/reset?token=${await nextToken(2)}`);
    await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password again", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set my password" }).click();
    await page.getByRole("heading", { name: "Your password is set" }).waitFor();
    await (await signInWith(PASSWORD)).waitForURL(({ pathname }) => pathname === "/account");
  });

  it("are offered first where one was used last in this browser", async () => {
    const page = await signInWith(PASSWORD);
    await page.waitForURL(({ pathname }) => pathname === "/account");
    expect(await page.evaluate(`localStorage.getItem("console.last-way")`)).toBe("password");
    expect(console.faults.filter((fault) => !/status of 40[01]/.test(fault))).toEqual([]);
  });
});
