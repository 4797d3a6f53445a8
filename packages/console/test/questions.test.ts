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

const OBJECT = "arn:svc:fs:::repository/sales/object/2026/a.csv";

describe.skipIf(CHROMIUM === undefined)("in Chromium, an administrator asks", () => {
  let console: OpenedConsole;
  let page: Page;
  let alice: Key;

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const ask = async (user: string, action: string, resource: string): Promise<void> => {
    await field("User").fill(user);
    await field("Action").fill(action);
    await field("Resource").fill(resource);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
  };
  const verdict = () => page.locator("[role=status].verdict");

  beforeAll(async () => {
    console = await openConsole();
    const key: Key = await setUp(console);
    const post = (path: string, body: unknown) => callApi(console, key, "POST", path, body);
    await post("/auth/policies", {
      id: "ReadSales",
      statement: [
        {
          effect: "allow",
          action: ["fs:ReadObject"],
          resource: "arn:svc:fs:::repository/sales/object/2025/*",
          sid: "LastYear",
        },
        {
          effect: "allow",
          action: ["fs:ListObjects"],
          resource: "arn:svc:fs:::repository/sales",
          condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
        },
        {
          effect: "allow",
          action: ["fs:DeleteObject"],
          resource: OBJECT,
          condition: { StringEquals: { "context.uid": ["1780921717355446273"] } },
        },
      ],
    });
    await post("/auth/users", { id: "alice" });
    await callApi(console, key, "PUT", "/auth/users/alice/policies/ReadSales");
    alice = (await post("/auth/users/alice/credentials", undefined)) as Key;
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(() => console.close());

  it("why a user is refused, and sees which statement comes near", async () => {
    await page.goto("/playground");
    await page.getByText("Can … do … on …?").waitFor();
    await ask("alice", "fs:ReadObject", OBJECT);
    await verdict().waitFor();
    expect(await verdict().textContent()).toMatch(/^Refused/);
    await page.getByRole("heading", { name: "Near misses" }).waitFor();
    expect(await page.getByText("(LastYear)").isVisible()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("with numbers of many digits, which stay what they are", async () => {
    await page.goto("/playground");
    await page.getByText("Context: what conditions read").click();
    await field("Condition fields").fill('{"context.uid": 1780921717355446273}');
    await ask("alice", "fs:DeleteObject", OBJECT);
    await verdict().waitFor();
    expect(await verdict().textContent()).toMatch(/^Allowed/);
    await field("Condition fields").fill('{"context.uid": 1780921717355446272}');
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await expect.poll(() => verdict().textContent()).toMatch(/^Refused/);
    await field("Condition fields").fill('{"context.uid": 1, "context.uid": 2}');
    await page.getByText("A member is there twice").waitFor();
    await field("Condition fields").fill("");
    await ask("alice", "fs:ReadObject", OBJECT);
    await expect.poll(() => verdict().textContent()).toMatch(/^Refused/);
  });

  it("finds the question in the address, so that it can be sent", async () => {
    const { search } = new URL(page.url());
    await page.goto("/playground");
    await page.goto(`/playground${search}`);
    expect(await verdict().textContent()).toMatch(/^Refused/);
    expect(await field("Resource").inputValue()).toBe(OBJECT);
  });

  it("what a policy would have to say, without saving it", async () => {
    await page.getByRole("button", { name: "Edit ReadSales", exact: true }).click();
    const statements = page.getByLabel("Statements of ReadSales", { exact: true });
    await expect.poll(() => statements.inputValue()).toContain("2025");
    await statements.fill((await statements.inputValue()).replace("2025", "2026"));
    await page.getByRole("button", { name: "Try with this edited policy", exact: true }).click();
    await page.getByText("With these statements: allowed").waitFor();
    expect(await verdict().textContent()).toMatch(/^Refused/);
    await statements.fill("[");
    await page.getByRole("button", { name: "Try with this edited policy", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("not JSON");
    await page.getByRole("button", { name: "Add a policy", exact: true }).click();
    await page.getByRole("button", { name: "Try with this edited policy", exact: true }).click();
    await page.getByText("With these statements: allowed").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("which condition holds and which does not", async () => {
    await ask("alice", "fs:ListObjects", "arn:svc:fs:::repository/sales");
    await page.getByText("does not hold").waitFor();
    await page.getByText("Context: what conditions read").click();
    await field("Condition fields").fill('{"SourceIp": "10.1.2.3"}');
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.locator(".verdict.allow").waitFor();
    expect(await verdict().textContent()).toMatch(/^Allowed/);
    await page.getByRole("heading", { name: "The deciding statement" }).waitFor();
    await page.getByText("attached directly").waitFor();
    await field("Condition fields").fill("{");
    await page.getByText("This is not JSON", { exact: false }).waitFor();
  });

  it("who can do something, and in which way", async () => {
    await page.goto("/who-can");
    await field("Action").fill("fs:ReadObject");
    await field("Resource").fill("arn:svc:fs:::repository/sales/object/2025/b.csv");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const row = page.getByRole("row", { name: /alice/ });
    await row.waitFor();
    expect(await row.textContent()).toContain("ReadSales, statement 0 (LastYear)");
    expect(await row.textContent()).toContain("attached directly");
    expect(await page.getByRole("row", { name: /admin/ }).textContent()).toContain("through group Admins");
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("what a user can do on a resource", async () => {
    await field("By user").fill("alice");
    await field("On resource").fill("arn:svc:fs:::repository/sales/object/2025/b.csv");
    await page.getByRole("button", { name: "Show actions", exact: true }).click();
    await page.getByRole("list", { name: "Actions" }).getByText("fs:ReadObject").waitFor();
  });

  it("on a small screen too", async () => {
    const small = await console.newPage({ viewport: { width: 390, height: 800 } });
    await small.context().addCookies(await page.context().cookies());
    await small.goto("/login");
    await small.evaluate(`localStorage.setItem("console.signed-in", "yes")`);
    await small.goto(new URL(page.url()).pathname + new URL(page.url()).search);
    await small.getByRole("row", { name: /alice/ }).waitFor();
    expect(await small.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    if (process.env["SHOTS"])
      await small.screenshot({ path: `${process.env["SHOTS"]}/whocan-390.png`, fullPage: true });
  });

  it("and is told that a question is none, with what may be meant, before and after it is asked", async () => {
    await page.goto("/who-can");
    await field("Action").fill("write");
    await field("Resource").fill("sales");
    const doubts = page.getByRole("list", { name: "Doubts about the question" });
    await doubts.getByText("write is no action: one is written service:Verb").waitFor();
    expect(await doubts.textContent()).toContain("sales is no ARN");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("No user: the question may be none, see above.").waitFor();
    expect(await page.getByText("Nobody may do this.").count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await doubts.first().getByRole("button", { name: "fs:WriteObject", exact: true }).click();
    expect(await field("Action").inputValue()).toBe("fs:WriteObject");
    // A short form becomes the ARN, which is shown before it is asked.
    await field("Resource").fill("sales/2026/x.csv");
    await doubts
      .first()
      .getByRole("button", { name: "arn:svc:fs:::repository/sales/object/2026/x.csv", exact: true })
      .click();
    await expect
      .poll(() => field("Resource").inputValue())
      .toBe("arn:svc:fs:::repository/sales/object/2026/x.csv");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("row", { name: /admin/ }).waitFor();
    await expect.poll(() => doubts.count()).toBe(0);

    await field("By user").fill("alice");
    await field("On resource").fill("sales/2025/b.csv");
    const ofResource = page.getByRole("list", { name: "Doubts about the resource" });
    const meant = ofResource.getByRole("button", {
      name: "arn:svc:fs:::repository/sales/object/2025/b.csv",
      exact: true,
    });
    await meant.waitFor();
    await page.getByRole("button", { name: "Show actions", exact: true }).click();
    await page.getByText("No action: the question may be none, see above.").waitFor();
    await meant.click();
    await page.getByRole("button", { name: "Show actions", exact: true }).click();
    await page.getByRole("list", { name: "Actions" }).getByText("fs:ReadObject").waitFor();
    await expect.poll(() => ofResource.count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);

    await page.goto("/playground");
    await field("Action").fill("fs:DeleteRepository");
    await field("Resource").fill(OBJECT);
    await doubts.getByText("fs:DeleteRepository is asked about", { exact: false }).waitFor();
  });

  it("as a user without rights does about oneself, whom nothing is asked for that the user may not list", async () => {
    const own = await console.newPage();
    await signIn(own, alice);
    await own.goto("/playground");
    expect(await own.getByLabel("User", { exact: true }).inputValue()).toBe("alice");
    await own.getByLabel("Action", { exact: true }).fill("fs:ReadObject");
    await own.getByLabel("Resource", { exact: true }).fill(OBJECT);
    await own.getByRole("button", { name: "Ask", exact: true }).click();
    await own.locator(".verdict.deny").waitFor();
    await own.waitForLoadState("networkidle");
  });

  it("and no page failed or left the origin", () => {
    expect(console.faults).toEqual([]);
  });
});
