/** The web page of a real data server with one user, in a browser, as a user that the data server does not know. */

import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../../../packages/console/test/console.ts";
import { rawRequest } from "../../exchange/raw-request.ts";
import {
  ACCESS_KEYS,
  basicOf,
  PROXY_TOKEN,
  startExchange,
  SECRET as USER_SECRET,
} from "../../exchange/start-exchange.ts";
import { freePort } from "../../free-port.ts";
import { missing, type ProxyProgram, startProxy } from "../../gateways/proxy-program.ts";
import { CLIENT, startProvider, type TestProvider } from "../../sign-in/test-provider.ts";
import { givenDataServer } from "./given-data-server.ts";
import { KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

/** Logs in with the form of the page. Its button is pressed by an event: this browser gives the page no input of a mouse. */
async function signIn(page: Page): Promise<void> {
  await page.getByPlaceholder("Access Key ID").fill(ACCESS_KEYS.get("writer") as string);
  await page.getByPlaceholder("Secret Access Key").fill(USER_SECRET);
  const [answer] = await Promise.all([
    page.waitForResponse(/\/api\/v1\/auth\/login$/),
    page.getByRole("button", { name: "Login" }).dispatchEvent("click"),
  ]);
  expect(answer.status()).toBe(200);
}

const given = givenDataServer();
const isPossible = given !== undefined && CHROMIUM !== undefined && missing("nginx") === undefined;

describe.skipIf(!isPossible)("the page of a data server with one user", () => {
  let dataServer: RunningDataServer;
  let authorizer: TestAuthorizer;
  let proxy: ProxyProgram;
  let provider: TestProvider;
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    dataServer = await RunningDataServer.start(given as NonNullable<typeof given>);
    const [service, user, streaming] = [await freePort(), await freePort(), await freePort()];
    proxy = await startProxy("nginx", {
      dataServerPort: Number(new URL(dataServer.url).port),
      ...{ authorizerPort: service, streamingPort: streaming, userPort: user },
      proxyToken: PROXY_TOKEN,
      exchange: true,
    });
    url = `http://127.0.0.1:${proxy.port}`;
    provider = await startProvider([`${url}/oidc/callback`]);
    authorizer = await startExchange("nginx", {
      listen_address: `127.0.0.1:${user}`,
      "authorizer.listen_address": `127.0.0.1:${service}`,
      "authorizer.exchange.access_key_id": KEY,
      "authorizer.exchange.secret_access_key": SECRET,
      "authorizer.exchange.streaming_address": `127.0.0.1:${streaming}`,
      "authorizer.exchange.upstream": dataServer.url,
      "authorizer.sign_in.origins": [url],
      "authorizer.oidc.issuers": [
        {
          ...{ name: "corp", title: "Example", issuer: provider.issuer, sign_in: true },
          ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
          ...{ username_claim: "preferred_username", directory_users: true },
        },
      ],
    });
    for (const name of ["data", "other"]) {
      const made = await fetch(`${url}/api/v1/repositories`, {
        method: "POST",
        headers: { authorization: basicOf("administrator"), "content-type": "application/json" },
        body: JSON.stringify({ name, storage_namespace: `local://${name}`, default_branch: "main" }),
      });
      expect(made.status).toBe(201);
    }
    await fetch(`${url}/api/v1/repositories/data/branches/main/objects?path=seen.txt`, {
      method: "POST",
      headers: { authorization: basicOf("writer"), "content-type": "application/octet-stream" },
      body: "content",
    });
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await authorizer?.close();
    await provider?.close();
    await dataServer?.close();
  });

  it("lets a user in, shows what it may see, and lets it out", async () => {
    const page = await browser.newPage();
    const sent: string[] = [];
    page.on("response", async (response) => {
      sent.push(JSON.stringify(await response.allHeaders()));
    });
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/`);
    await page.getByPlaceholder("Access Key ID").waitFor();
    await signIn(page);
    await page.getByRole("link", { name: "data", exact: true }).first().waitFor();
    expect(await page.getByText("other", { exact: true }).count()).toBe(0);
    await page.goto(`${url}/repositories/data/objects?ref=main`);
    await page.getByText("seen.txt").first().waitFor();
    const committed = (await page.evaluate(async () => {
      const answer = await fetch("/api/v1/repositories/data/branches/main/commits", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "from the page" }),
      });
      return answer.json();
    })) as { readonly metadata: Record<string, string> };
    expect(committed.metadata["svc.user"]).toBe("writer");
    await page.goto(`${url}/repositories/data/commits?ref=main`);
    await page.getByText("from the page").first().waitFor();
    await page.goto(`${url}/logout`);
    await page.getByPlaceholder("Access Key ID").waitFor();
    expect((await page.request.get(`${url}/api/v1/repositories`)).status()).toBe(401);
    expect(sent.join()).not.toContain(Buffer.from(`${KEY}:${SECRET}`).toString("base64"));
    await page.context().close();
  });

  it("lets a person of the identity provider in, and out", async () => {
    provider.claims = { sub: "s-1", preferred_username: "writer" };
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/`);
    await page.getByRole("button", { name: "Sign in with Example" }).dispatchEvent("click");
    await page.getByRole("link", { name: "data", exact: true }).first().waitFor();
    expect(await page.getByText("other", { exact: true }).count()).toBe(0);
    const { user } = await (await page.request.get(`${url}/api/v1/user`)).json();
    expect(user.id).toBe("writer");
    await page.goto(`${url}/logout`);
    await page.getByPlaceholder("Access Key ID").waitFor();
    expect((await page.request.get(`${url}/api/v1/repositories`)).status()).toBe(401);
    await page.context().close();
  });

  it.each([
    "/metrics",
    "/_pprof/",
    "/openapi.json",
    "/_health",
    "/api/v1/config",
    "/repositories/../metrics",
    "/repositories/%2e%2e/metrics",
    "/repositories/.%2E/metrics",
    "/repositories/..%2fmetrics",
    "/assets/%2e%2e/metrics",
    "/assets/x%2f..%2f..%2fmetrics",
    "/assets/%2E%2E%2f_pprof%2f",
    "/repositories//../metrics",
    "/repositories;/../metrics",
    "/repositories\\..\\metrics",
    "//metrics",
    "/%6detrics",
    "/metrics/",
    "/metrics?/repositories",
    "http://x/metrics",
  ])("does not serve %s to nobody", async (path) => {
    const head = [`GET ${path} HTTP/1.1`, "Host: data.example.com"];
    expect([400, 401, 403]).toContain((await rawRequest(proxy.port, head)).status);
  });

  it("takes no credential to the data server with a page", async () => {
    const headers = { cookie: "access_token=x", authorization: basicOf("writer") };
    expect([401, 403]).toContain((await fetch(`${url}/repositories`, { headers })).status);
    expect((await fetch(`${url}/repositories`)).status).toBe(200);
    const console = await fetch(`${url}/auth/users`, { redirect: "manual" });
    expect([console.status, console.headers.get("location")]).toEqual([302, "https://console.example.com/"]);
  });

  it("tells the page that the data server is set up", async () => {
    const state = await (await fetch(`${url}/api/v1/setup_lakefs`)).json();
    expect(state).toMatchObject({
      state: "initialized",
      comm_prefs_missing: false,
      login_config: {
        ...{ RBAC: "none", logout_url: "/logout", login_cookie_names: ["access_token"] },
        fallback_login_url: "/oidc/login?issuer=corp",
      },
    });
  });
});
