/** The client's package in a browser, on the origin of an application that hands its calls to the service. */
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../../packages/console/test/console.ts";
import { sharedBrowser } from "../../packages/console/test/shared-browser.ts";
import { type Consumer, installPackages } from "./installed.ts";

const PACKAGE = "/node_modules/@svc-authorizer/client";
const PAGE = `<!doctype html><script type="importmap">{"imports":{"@svc-authorizer/client":"${PACKAGE}/dist/client.js"}}</script>
<script type="module">
import { AuthorizerClient, ClientError, filterAllowed } from "@svc-authorizer/client";
const object = "arn:svc:fs:::repository/r/object/o";
const client = new AuthorizerClient({ url: location.origin, token: "of the session", cache: {} });
const lost = new AuthorizerClient({ url: location.origin + "/nowhere", token: "t", retries: 0 });
const question = { user: "viewer", action: "fs:ReadObject", resource: (item) => item };
globalThis.answers = (async () => ({
  asked: await Promise.all(["fs:ReadObject", "fs:WriteObject"].map((action) => client.allows("viewer", action, object))),
  filtered: await filterAllowed(client, question, [object]),
  error: await lost.allows("viewer", "fs:ReadObject", object).catch((error) => [error instanceof ClientError, error.code]),
}))().finally(() => client.close());
</script>`;

let consumer: Consumer;
let authorizer: TestAuthorizer;
let application: Server;
let context: BrowserContext;

/** The application: its page, the files of the package, and the calls of its page with the token of the service. */
const serve: RequestListener = async (request, response) => {
  const path = request.url ?? "/";
  if (path === "/") return response.setHeader("content-type", "text/html").end(PAGE);
  if (path.startsWith(PACKAGE) && !path.includes("..")) {
    return response
      .setHeader("content-type", "text/javascript")
      .end(readFileSync(join(consumer.folder, path)));
  }
  if (!/^\/(access|api)\/v1\//.test(path)) return response.writeHead(404).end();
  const body = request.method === "POST" ? await buffer(request) : null;
  const headers = { "content-type": "application/json", authorization: `Bearer ${authorizer.token}` };
  const answer = await fetch(authorizer.url + path, { method: request.method ?? "GET", headers, body });
  response.writeHead(answer.status, { "x-svc-revision": answer.headers.get("x-svc-revision") ?? "" });
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
};

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  consumer = installPackages("client");
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
  application = createServer(serve).listen(0, "127.0.0.1");
  context = await (await sharedBrowser(CHROMIUM)).newContext();
});
afterAll(async () => {
  await context?.close();
  application?.closeAllConnections();
  application?.close();
  await authorizer?.close();
  consumer?.remove();
});

describe("in Chromium", () => {
  it.skipIf(CHROMIUM === undefined)("the client's package asks, filters and names errors", async () => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(application.address() as AddressInfo).port}/`);
    const answers = await page.evaluate(
      () => (globalThis as unknown as { answers: Promise<unknown> }).answers,
    );
    expect(answers).toEqual({
      asked: [true, false],
      filtered: ["arn:svc:fs:::repository/r/object/o"],
      error: [true, "not_found"],
    });
  });
});
