import { request as httpRequest } from "node:http";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, describe, expect, it } from "vitest";
import { METADATA_PATH } from "../../src/listeners/metadata.ts";
import { documentedAnswer } from "../api/openapi/validate-response.ts";

const opened: TestAuthorizer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((authorizer) => authorizer.close()));
});

async function start(config: Record<string, unknown> = {}): Promise<TestAuthorizer> {
  const authorizer = await startAuthorizer({ config });
  opened.push(authorizer);
  return authorizer;
}

/** Asks with headers that fetch would not send. */
function ask(url: string, headers: Record<string, string> = {}, method = "GET") {
  return new Promise<{ status: number; headers: Headers; text: string; body: unknown }>((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => {
        const type = response.headers["content-type"] ?? "";
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
          text,
          body: type.startsWith("application/json") && text !== "" ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on("error", reject).end();
  });
}

const ENDPOINTS = {
  access_evaluation_endpoint: "/access/v1/evaluation",
  access_evaluations_endpoint: "/access/v1/evaluations",
  search_subject_endpoint: "/access/v1/search/subject",
  search_resource_endpoint: "/access/v1/search/resource",
  search_action_endpoint: "/access/v1/search/action",
};

function metadataAt(url: string) {
  const endpoints = Object.entries(ENDPOINTS).map(([name, path]) => [name, url + path]);
  return { policy_decision_point: url, ...Object.fromEntries(endpoints) };
}

describe("the AuthZEN metadata (spec/security §1.5)", () => {
  it("tell the public URL and its five endpoints, without a token", async () => {
    const { url } = await start({ "authorizer.public_url": "https://pdp.example.com/" });
    const answer = await ask(url + METADATA_PATH);
    expect(documentedAnswer("GET", METADATA_PATH, answer).body).toEqual(
      metadataAt("https://pdp.example.com"),
    );
  });

  it("tell the listener's own address on loopback", async () => {
    const { url } = await start();
    expect((await ask(url + METADATA_PATH)).body).toEqual(metadataAt(url));
  });

  it.each([
    ["Host", "evil.example.com"],
    ["X-Forwarded-Host", "evil.example.com"],
    ["X-Forwarded-Proto", "https"],
    ["Forwarded", "host=evil.example.com;proto=https"],
  ])("are never taken from %s", async (name, value) => {
    const { url } = await start();
    expect((await ask(url + METADATA_PATH, { [name]: value })).body).toEqual(metadataAt(url));
  });

  it("are 404 outside loopback without a public URL", async () => {
    const { url } = await start({
      "authorizer.listen_address": "0.0.0.0:0",
      "authorizer.insecure_listen": true,
    });
    const answer = await ask(url.replace("0.0.0.0", "127.0.0.1") + METADATA_PATH);
    expect(documentedAnswer("GET", METADATA_PATH, answer).status).toBe(404);
  });

  it("of a PDP with a path stand at that path behind the well-known one, and nowhere else", async () => {
    const { url } = await start({ "authorizer.public_url": "https://pdp.example.com/tenant(1)" });
    const there = await ask(`${url}${METADATA_PATH}/tenant(1)`);
    expect(there.body).toEqual(metadataAt("https://pdp.example.com/tenant(1)"));
    expect((await ask(url + METADATA_PATH)).status).toBe(404);
  });

  it("are read with GET and HEAD alone", async () => {
    const { url } = await start();
    expect((await ask(url + METADATA_PATH, {}, "HEAD")).status).toBe(200);
    expect((await ask(url + METADATA_PATH, {}, "POST")).status).toBe(405);
  });
});
