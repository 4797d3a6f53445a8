/** A data server that answers anything, at any time, or never: the listener stays, and says that it is the data server (spec/exchange §6). */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { change, changed } from "../../end-to-end/mutations/mutated-values.ts";
import { sized } from "../../proofs/size.ts";
import { basicOf, PROXY_TOKEN, startExchange } from "../start-exchange.ts";
import { send, uploadOf } from "./uploads.ts";

/** The way in which a connection of the data server goes. */
interface Behaviour {
  /** Bytes of the request after which it acts. */
  readonly after: number;
  readonly answer: Buffer;
  readonly cut: number;
  readonly end: "reset" | "end" | "stay";
}

const status = fc.constantFrom(
  ...[
    "200",
    "204",
    "205",
    "304",
    "404",
    "500",
    "503",
    "100",
    "101",
    "102",
    "103",
    "199",
    "000",
    "099",
    "600",
    "999",
  ],
  ...["1000", "-1", "abc", ""],
);
const header = fc.constantFrom(
  ...["Content-Length: 4", "Content-Length: 0", "Content-Length: 99999999", "Transfer-Encoding: chunked"],
  ...[
    "Connection: close",
    "Connection: content-type, x-a",
    "Connection: upgrade\r\nUpgrade: h2c",
    "X-A: \u00ff\u0080",
  ],
  ...[
    "X-A: a\r\nX-A: b",
    "X-Svc-User: root",
    "Set-Cookie: a=b",
    "Content-Type: \u00e9",
    "Content-Type: a\r\nContent-Type: b",
  ],
  ...[
    "Content-Encoding: gzip",
    "X-Request-ID: y",
    "Date: never",
    "Keep-Alive: timeout=0",
    ": x",
    "NoColon",
    " folded",
  ],
  ...[
    "X-A: \u0001",
    `X-A: ${"y".repeat(20_000)}`,
    "__proto__: x",
    "Trailer: x",
    "ETag: ",
    "X-Svc-Revision: \u00e9",
  ],
);
const body = fc.constantFrom(
  ...["", "done", "4\r\ndone\r\n0\r\n\r\n", "4\r\ndone\r\n0\r\nX: y\r\n\r\n", "zz\r\n", "\u00ff\u0000"],
  "a".repeat(70_000),
);
const strange = fc
  .record({ status, headers: fc.array(header, { maxLength: 3 }), body, hasLength: fc.boolean() })
  .map((one) => {
    const length = one.hasLength ? [`Content-Length: ${Buffer.byteLength(one.body, "latin1")}`] : [];
    return `${[`HTTP/1.1 ${one.status} x`, ...length, ...one.headers].join("\r\n")}\r\n\r\n${one.body}`;
  });

const LIST = {
  results: [{ id: "data", creation_date: 1_700_000_000, default_branch: "main" }, { id: "other" }],
  pagination: { has_more: false, next_offset: "", results: 2, max_per_page: 1_000 },
};
const oddId = fc.constantFrom<unknown>(
  "third",
  ["data"],
  { toString: 1 },
  { toString: null, valueOf: "x" },
  7,
);
/** A list that is nearly one. */
const nearly = fc.tuple(oddId, fc.array(change, { maxLength: 3 })).map(([id, changes]) => {
  const list = { ...LIST, results: [...LIST.results, { id }] };
  const text = JSON.stringify(changes.reduce<unknown>(changed, list)) ?? "";
  const bytes = Buffer.from(text);
  return `HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes.toString("latin1")}`;
});

const behaviour: fc.Arbitrary<Behaviour> = fc
  .record({
    after: fc.constantFrom(0, 1, 1, 1, 1_000),
    text: fc.oneof(strange, nearly),
    cut: fc.option(fc.nat(), { freq: 4, nil: undefined }),
    end: fc.constantFrom("reset" as const, "end" as const, "end" as const, "stay" as const),
    times: fc.constantFrom(1, 1, 1, 2, 3),
  })
  .map(({ after, text, cut, end, times }) => {
    const answer = Buffer.from(text.repeat(times), "latin1");
    return { after, answer, cut: (cut ?? answer.length) % (answer.length + 1), end };
  });

let now: Behaviour | undefined;
let dataServer: Server;
let authorizer: TestAuthorizer;

beforeAll(async () => {
  dataServer = createServer((socket) => {
    let bytes = 0;
    let isOver = false;
    const act = (): void => {
      const acting = now;
      if (acting === undefined || isOver || bytes < acting.after) return;
      isOver = true;
      socket.write(acting.answer.subarray(0, acting.cut), () => {
        if (acting.end === "reset") socket.resetAndDestroy();
        else if (acting.end === "end") socket.end();
        else setTimeout(() => socket.destroy(), 20);
      });
    };
    socket.on("error", () => undefined);
    socket.on("data", (piece) => {
      bytes += piece.length;
      act();
    });
    socket.on("end", () => socket.destroy());
    act();
    // What waits for more than comes: the end of its own patience.
    setTimeout(() => socket.destroy(), 40);
  });
  dataServer.listen(0, "127.0.0.1");
  await once(dataServer, "listening");
  authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${(dataServer.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await authorizer?.close();
  dataServer?.close();
});

/** Lists or changes as a user; resolves with 0 where there is no answer. */
function ask(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const sent = httpRequest(authorizer.streamingUrl + path, {
      method,
      agent: false,
      headers: {
        host: "data.example.com",
        authorization: basicOf("writer"),
        "x-svc-proxy-token": PROXY_TOKEN,
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-length": String(body.length),
        }),
      },
    });
    sent.on("error", () => resolve({ status: 0, text: "" }));
    sent.on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      answer.on("error", () => undefined);
      answer.on("close", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.end(body);
  });
}

const REQUESTS = [
  () => send(authorizer.streamingUrl as string, uploadOf("writer", randomBytes(6_000), { chunk: 2_000 })),
  () => ask("GET", "/api/v1/repositories"),
  () => ask("GET", "/api/v1/repositories?amount=1&after=a"),
] as const;

it("whatever the data server answers, the caller is answered, and never with an internal error", {
  timeout: 3_600_000,
}, async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(behaviour, fc.nat({ max: REQUESTS.length - 1 }), async (next, index) => {
      now = next;
      const { status: answered, text } = await (
        REQUESTS[index] as () => Promise<{ status: number; text: string }>
      )();
      seen.set(answered, (seen.get(answered) ?? 0) + 1);
      expect(text).not.toMatch(/internal|error_id/);
      expect(answered).not.toBe(0);
    }),
    { numRuns: sized(400, 20_000) },
  );
  for (const one of [200, 502]) expect([...seen.keys()]).toContain(one);
});
