import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answer, ask, type Headers } from "../../api/forward-auth/ask.ts";
import { type OneKeyServer, SERVER_KEY, startOneKeyServer } from "../one-key-server.ts";
import { basicOf, PROXY_TOKEN, S3_DOMAIN, signedBy, startExchange } from "../start-exchange.ts";

const number = (index: number): string => String(index).padStart(4, "0");
const others = Array.from({ length: 2_500 }, (_, index) => `other-${number(index)}`);
const team = Array.from({ length: 30 }, (_, index) => `team-${number(index)}`);
const hidden = ["team-0003-hidden", "team-0017-hidden"];
const REPOSITORIES = ["data", "object", ...others, ...team, ...hidden].sort();
const PATH = "/api/v1/repositories";

interface Page {
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string; readonly results: number };
  readonly results: readonly { readonly id: string; readonly default_branch: string }[];
}

let dataServer: OneKeyServer;
let authorizer: TestAuthorizer;
beforeAll(async () => {
  dataServer = await startOneKeyServer(REPOSITORIES);
  authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
  });
});
afterAll(async () => {
  await authorizer?.close();
  await dataServer?.close();
});
beforeEach(() => {
  dataServer.arrived.length = 0;
});

function get(path: string, headers: Headers): Promise<Answer> {
  return ask(authorizer.streamingUrl as string, path, [["x-svc-proxy-token", PROXY_TOKEN], ...headers]);
}

const of = (user: string, query = "") =>
  get(`${PATH}${query}`, [
    ["host", "data.example.com"],
    ["authorization", basicOf(user)],
  ]);

async function idsOf(user: string, query = ""): Promise<{ readonly ids: string[]; readonly page: Page }> {
  const { status, body } = await of(user, query);
  expect([status, body.slice(0, 1)]).toEqual([200, "{"]);
  const page = JSON.parse(body) as Page;
  return { ids: page.results.map(({ id }) => id), page };
}

describe("lists of repositories (spec/exchange §7)", () => {
  it("hold what the user may list, in one page although it is spread over many of the data server", async () => {
    const { ids, page } = await idsOf("lister");
    expect(ids).toEqual(team);
    expect(page.pagination).toMatchObject({ has_more: false, next_offset: "", results: team.length });
    expect(page.results[0]).toMatchObject({ default_branch: "main" });
    expect(dataServer.served.length).toBeGreaterThan(2);
    expect((await idsOf("writer")).ids).toEqual(["data"]);
  });

  it("go on page after page without a gap and without what is hidden", async () => {
    const seen: string[] = [];
    let after = "";
    for (let pages = 0; pages < 10; pages++) {
      const { ids, page } = await idsOf("lister", `?amount=7&after=${after}`);
      seen.push(...ids);
      if (!page.pagination.has_more) break;
      expect(ids).toHaveLength(7);
      after = page.pagination.next_offset;
    }
    expect(seen).toEqual(team);
  });

  it("take a prefix, a search and an amount as the data server does", async () => {
    expect((await idsOf("lister", "?prefix=team-001")).ids).toEqual(team.slice(10, 20));
    expect((await idsOf("lister", "?search=0021")).ids).toEqual(["team-0021"]);
    expect((await idsOf("administrator", "?amount=1000")).ids).toEqual(REPOSITORIES.slice(0, 1_000));
    expect((await idsOf("administrator")).ids).toHaveLength(100);
    expect((await of("administrator", "?amount=a")).status).toBe(400);
  });

  it("of S3 hold the same buckets", async () => {
    const { headers } = signedBy("lister", "GET", "/");
    const { status, body } = await get("/", headers);
    expect(status).toBe(200);
    expect([...body.matchAll(/<Name>([^<]*)<\/Name>/g)].map(([, name]) => name)).toEqual(team);
    expect(body).toContain("<CreationDate>2023-11-14T22:13:20.000Z</CreationDate>");
  });

  it.each([
    ["nobody", PATH, [["host", "data.example.com"]], 401],
    [
      "who may list nothing",
      PATH,
      [
        ["authorization", basicOf("objector")],
        ["host", "x"],
      ],
      200,
    ],
    [
      "a wrong secret",
      PATH,
      [
        ["authorization", "Basic QUtJQTp4"],
        ["host", "x"],
      ],
      401,
    ],
    [
      "the one key",
      PATH,
      [
        [
          "authorization",
          `Basic ${Buffer.from(`${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`).toString("base64")}`,
        ],
        ["host", "x"],
      ],
      401,
    ],
    [
      "another path",
      `${PATH}/other`,
      [
        ["authorization", basicOf("administrator")],
        ["host", "x"],
      ],
      403,
    ],
    [
      "an encoded path",
      "/api/v1/%72epositories",
      [
        ["authorization", basicOf("administrator")],
        ["host", "x"],
      ],
      403,
    ],
    [
      "an unsigned list of S3",
      "/",
      [
        ["authorization", basicOf("administrator")],
        ["host", S3_DOMAIN],
      ],
      403,
    ],
    [
      "the page of the data server",
      "/",
      [
        ["authorization", basicOf("administrator")],
        ["host", "x"],
      ],
      403,
    ],
  ] as [string, string, Headers, number][])(
    "%s gets no repository of others",
    async (_who, path, headers, expected) => {
      const { status, body } = await get(path, headers);
      expect(status).toBe(expected);
      expect(body).not.toMatch(/other-|team-/);
      expect(body).not.toContain(SERVER_KEY.secret);
    },
  );

  it("still need the right to all where a proxy asks forward-auth about them", async () => {
    const asked = (user: string) =>
      ask(authorizer.url, "/forward-auth", [
        ["host", "authorizer"],
        ["x-svc-proxy-token", PROXY_TOKEN],
        ["x-original-method", "GET"],
        ["x-original-uri", PATH],
        ["x-original-host", "data.example.com"],
        ["authorization", basicOf(user)],
      ]);
    expect((await asked("lister")).status).toBe(403);
    expect((await asked("administrator")).status).toBe(200);
  });
});
