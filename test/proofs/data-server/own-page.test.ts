/** A real data server's own web page behind nginx, for people whom an OpenID provider signs in (spec/sign-in §5). */

import { randomBytes } from "node:crypto";
import { devNull } from "node:os";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../../../packages/console/test/console.ts";
import { freePort } from "../../free-port.ts";
import { missing, type ProxyProgram, startProxy } from "../../gateways/proxy-program.ts";
import { portFor } from "../../gateways/start-behind-proxy.ts";
import { CLIENT, startProvider, type TestProvider } from "../../sign-in/test-provider.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = givenDataServer();
const isPossible = given !== undefined && CHROMIUM !== undefined && missing("nginx") === undefined;
const SECRET_KEY = "the-secret-key-of-both-servers-of-this-proof";
const PROXY_TOKEN = randomBytes(24).toString("hex");
const ADMIN = {
  access_key_id: "AKIAJADMINADMINADMIQ",
  secret_access_key: "the-secret-of-the-administrator-of-a-proof",
};

describe.skipIf(!isPossible)("data server: its own web page", () => {
  const closing: (() => unknown)[] = [];
  let provider: TestProvider;
  let authorizer: TestAuthorizer;
  let dataServer: RunningDataServer;
  let proxy: ProxyProgram;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    // The provider has to know the address of the proxy, and the service those of both.
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startProvider([`${url}/oidc/callback`]);
    closing.push(() => provider.close());
    authorizer = await startAuthorizer({
      dataset: {
        format: 1,
        preconfigured: true,
        users: [{ username: "admin", groups: ["Admins"], credentials: [ADMIN] }],
      } as unknown as DatasetDocument,
      config: {
        "authorizer.audit.output": devNull,
        "authorizer.partition": "lakefs",
        "auth.encrypt.secret_key": SECRET_KEY,
        "auth.ui_config.login_url": "/oidc/login",
        "authorizer.forward_auth.proxy": "nginx",
        "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
        "authorizer.sign_in.origins": [url],
        "authorizer.oidc.issuers": [
          {
            name: "corp",
            issuer: provider.issuer,
            sign_in: true,
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            username_claim: "preferred_username",
            assert_groups: ["Developers", "Viewers"],
            create_users: true,
          },
        ],
      } as never,
    });
    closing.push(() => authorizer.close());
    dataServer = await RunningDataServer.start(given as GivenDataServer, { kind: "local" }, false, {
      LAKEFS_AUTH_ENCRYPT_SECRET_KEY: SECRET_KEY,
      LAKEFS_AUTH_UI_CONFIG_RBAC: "external",
      LAKEFS_AUTH_UI_CONFIG_LOGIN_URL: "/oidc/login",
      LAKEFS_AUTH_CACHE_ENABLED: "false",
      LAKEFS_AUTH_API_ENDPOINT: `${authorizer.url}/api/v1`,
      LAKEFS_AUTH_API_TOKEN: authorizer.token,
    });
    closing.push(() => dataServer.close());
    proxy = await startProxy("nginx", {
      port,
      dataServerPort: Number(new URL(dataServer.url).port),
      authorizerPort: portFor(authorizer),
      userPort: Number(new URL(authorizer.userUrl).port),
      proxyToken: PROXY_TOKEN,
      page: true,
    });
    closing.push(() => proxy.close());
    const basic = Buffer.from(`${ADMIN.access_key_id}:${ADMIN.secret_access_key}`).toString("base64");
    const made = await fetch(`${url}/api/v1/repositories`, {
      method: "POST",
      headers: { authorization: `Basic ${basic}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "data", storage_namespace: "local://data", default_branch: "main" }),
    });
    expect(made.status).toBe(201);
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox"] });
    closing.push(() => browser.close());
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function signedIn(name: string, groups: readonly string[]): Promise<Page> {
    provider.claims = { sub: `sub-of-${name}`, preferred_username: name, groups };
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/oidc/login?next=/repositories`);
    await page.getByRole("link", { name: "data", exact: true }).first().waitFor();
    return page;
  }

  /** Presses a button by an event: this browser gives the page no input of a mouse. */
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true }).last().dispatchEvent("click");

  it("takes the session of the callback: the person uploads and commits in it", async () => {
    const page = await signedIn("alice", ["Developers"]);
    const names = (await page.context().cookies()).map(({ name }) => name);
    expect(names).toContain("internal_auth_session");
    await page.goto(`${url}/repositories/data/objects?ref=main`);
    await press(page, /^Upload( Object)?$/);
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        name: "from-the-page.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("what the page uploads"),
      });
    const [uploaded] = await Promise.all([
      page.waitForResponse(
        (answer) => /\/objects\?path=/.test(answer.url()) && answer.request().method() === "POST",
      ),
      press(page, /^Upload( 1 File)?$/),
    ]);
    expect(uploaded.status()).toBe(201);
    await page.goto(`${url}/repositories/data/objects?ref=main`);
    await page.getByText("from-the-page.txt").first().waitFor();
    await press(page, "Uncommitted Changes");
    await page.locator('button[aria-label="Commit Changes"]:enabled').waitFor();
    await press(page, "Commit Changes");
    await page.getByPlaceholder("Commit Message").fill("committed in the page");
    const [committed] = await Promise.all([
      page.waitForResponse(/\/branches\/main\/commits$/),
      press(page, "Commit"),
    ]);
    expect(committed.status()).toBe(201);
    expect(((await committed.json()) as { committer: string }).committer).toBe("alice");
    await page.goto(`${url}/repositories/data/commits?ref=main`);
    await page.getByText("committed in the page").first().waitFor();
    await page.context().close();
  });

  it("is refused what the person may not do, whatever the page sends", async () => {
    const page = await signedIn("vera", ["Viewers"]);
    const statusOf = (method: string, path: string) =>
      page.evaluate(
        async ([verb, target]) =>
          (await fetch(target as string, { method: verb as string, body: "x" })).status,
        [method, path],
      );
    expect(await statusOf("POST", "/api/v1/repositories/data/branches/main/objects?path=x")).toBe(403);
    await authorizer.directory.users.update("vera", { inactive: true });
    const read = await page.evaluate(async () => (await fetch("/api/v1/repositories/data")).status);
    expect(read).toBe(401);
    await page.context().close();
  });

  it.each(["/metrics", "/_pprof/", "/repositories/../metrics", "/api/v1/repositories", "/oidc/x"])(
    "shows nobody %s",
    async (path) => {
      expect([400, 401, 403, 404]).toContain((await fetch(`${url}${path}`)).status);
    },
  );
});
