import { readFileSync } from "node:fs";
import { createServer, get, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestsTable, withTable } from "../../decisions/requests-table.ts";
import { post, startService, type TestService } from "../../http/service-kit.ts";

const PAGE = readFileSync(new URL("../../../docs/requests.md", import.meta.url), "utf8");
const PROXY = new URL("../../../examples/listing-proxy/listing-proxy.mjs", import.meta.url);
const fence = (language: string, nth = 0) =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))][nth]?.[1] ?? "";

let service: TestService;
const servers: Server[] = [];
beforeAll(async () => {
  service = await startService({ s3Domains: ["s3.example.com"] });
});
afterAll(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  await service.close();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("the table is what the policy data says: node test/decisions/write-requests-table.ts writes it", async () => {
  expect(PAGE).toBe(withTable(PAGE, await requestsTable()));
});

it("the example is answered as the page says", async () => {
  const { status, body } = await post(service, "/access/v1/request", fence("json"));
  expect(status).toBe(200);
  expect(body).toEqual({ ...JSON.parse(fence("json", 1)), id: expect.any(String) });
});

describe("the listing proxy that the page names", () => {
  const seen: string[] = [];
  let proxy = "";

  /** Lists what there is, whoever asks. */
  const dataServer: RequestListener = (request, response) => {
    seen.push(`${request.headers.host} ${request.url}`);
    const lists: Record<string, object[]> = {
      "/api/v1/repositories": ["data", "database", "other", "secret"].map((id) => ({ id })),
      "/api/v1/repositories/data/refs/main/objects/ls?presign=true": ["a", "secret", "b"].map((path) => ({
        path,
      })),
    };
    const results = lists[request.url ?? ""];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(results === undefined ? { id: "x" } : { results, pagination: { has_more: false } }),
    );
  };

  beforeAll(async () => {
    await service.directory.policies.create({
      name: "Lists",
      statement: [
        { effect: "allow", action: ["fs:List*"], resource: "arn:svc:fs:::repository/*" },
        { effect: "deny", action: ["fs:*"], resource: "arn:svc:fs:::repository/secret" },
      ],
    });
    await service.directory.users.attachPolicy("alice", "Lists");
    const { listingProxy } = await import(PROXY.href);
    proxy = await listening(
      listingProxy({
        authorizer: service.url,
        token: service.token,
        dataServer: await listening(createServer(dataServer)),
        userOf: ({ headers }: { headers: Record<string, string> }) => headers["x-user"],
      }),
    );
  });

  async function read(target: string, headers: Record<string, string> = { "x-user": "alice" }) {
    seen.length = 0;
    const { hostname, port } = new URL(proxy);
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      get({ hostname, port, path: target, headers }, resolve).on("error", reject);
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
    return { status: response.statusCode, body: (await json(response)) as any };
  }

  it("shows each user the repositories that she may list", async () => {
    const { status, body } = await read("/api/v1/repositories");
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [{ id: "data" }, { id: "database" }, { id: "other" }],
      pagination: { has_more: false },
    });
  });

  it("checks the objects of a presigned listing", async () => {
    const { body } = await read("/api/v1/repositories/data/refs/main/objects/ls?presign=true");
    expect(body.results).toEqual([{ path: "a" }, { path: "b" }]);
  });

  it("passes on what has no items", async () => {
    expect((await read("/api/v1/repositories/data")).body).toEqual({ id: "x" });
  });

  it.each([
    ["another user", "/api/v1/repositories", { "x-user": "carol" }, 401],
    ["nobody", "/api/v1/repositories", {}, 401],
    ["a repository that is denied", "/api/v1/repositories/secret", { "x-user": "alice" }, 401],
    ["an unknown endpoint", "/other", { "x-user": "alice" }, 401],
    ["a request for the S3 gateway", "/data/main/a?AWSAccessKeyId=x", { "x-user": "alice" }, 502],
    ["a path trick", "/api/v1/repositories/data/../secret", { "x-user": "alice" }, 401],
  ])("lets nothing through for %s", async (_title, target, headers, status) => {
    expect((await read(target, headers as Record<string, string>)).status).toBe(status);
    expect(seen).toEqual([]);
  });

  it("forwards the target as it came, to the main API whatever the host", async () => {
    const headers = { "x-user": "alice", host: "s3.example.com" };
    await read("/api/v1/repositories/data{x}", headers);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^127\.0\.0\.1:\d+ \/api\/v1\/repositories\/data\{x\}$/);
  });
});
