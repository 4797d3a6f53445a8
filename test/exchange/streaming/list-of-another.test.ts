/** A list that is read while its user becomes somebody else, or nobody (spec/exchange §7). */

import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ask, type Headers } from "../../api/forward-auth/ask.ts";
import { type OneKeyServer, startOneKeyServer } from "../one-key-server.ts";
import { basicOf, PROXY_TOKEN, signedBy, startExchange } from "../start-exchange.ts";

const REPOSITORIES = Array.from({ length: 1_500 }, (_, index) => `other-${String(index).padStart(4, "0")}`);
const PATH = "/api/v1/repositories";

let dataServer: OneKeyServer;
let authorizer: TestAuthorizer;
/** Work before the second page of the data server. */
let meanwhile: () => Promise<void>;
beforeEach(async () => {
  dataServer = await startOneKeyServer(REPOSITORIES, undefined, async (target) => {
    if (target.includes("after=")) await meanwhile();
  });
  authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
  });
});
afterEach(async () => {
  await authorizer?.close();
  await dataServer?.close();
});

const ofMain: Headers = [
  ["host", "data.example.com"],
  ["authorization", basicOf("lister")],
];

it.each([
  ["the main API", PATH, () => ofMain, 401],
  ["S3", "/", () => signedBy("lister", "GET", "/").headers, 403],
] as const)("of %s is refused", async (_name, path, headers, status) => {
  const { users, policies } = authorizer.directory;
  const get = () =>
    ask(authorizer.streamingUrl as string, path, [["x-svc-proxy-token", PROXY_TOKEN], ...headers()]);
  meanwhile = async () => {};
  expect((await get()).status).toBe(200);
  // Another person of the name, who may see all of them.
  meanwhile = async () => {
    await users.delete("lister");
    await users.create({ username: "lister" });
    const statement = [{ effect: "allow" as const, action: ["fs:*"], resource: "*" }];
    await policies.create({ name: "EverythingOfTheNewOne", statement });
    await users.attachPolicy("lister", "EverythingOfTheNewOne");
  };
  const answer = await get();
  expect(answer.body).not.toContain("other-");
  expect(answer.status).toBe(status);
});

it("is refused, not shorter, for a user who is deleted meanwhile", async () => {
  meanwhile = () => authorizer.directory.users.delete("lister");
  const headers: Headers = [["x-svc-proxy-token", PROXY_TOKEN], ...ofMain];
  expect((await ask(authorizer.streamingUrl as string, PATH, headers)).status).toBe(401);
});
