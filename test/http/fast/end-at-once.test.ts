import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { endAtOnce, headerLines } from "../../../src/http/fast/end-at-once.ts";

interface AnswerCase {
  readonly name: string;
  readonly status: number;
  /** Name and value in turn, those of the body among them. */
  readonly headers: readonly string[];
  readonly body?: string;
  readonly encoding?: "latin1" | "utf8";
}

const CASES: readonly AnswerCase[] = [
  {
    name: "an allow",
    status: 200,
    headers: [...json('{"decision":true}'), "X-Request-ID", "a"],
    body: '{"decision":true}',
  },
  {
    name: "a refusal without a body",
    status: 403,
    headers: ["Content-Length", "0", "X-Svc-User", "jos\u00e9"],
  },
  { name: "a status that has no reason", status: 299, headers: ["Content-Length", "2"], body: "{}" },
  {
    name: "a text that is no ASCII",
    status: 201,
    headers: json('{"name":"Jos\u00e9 \u{1f600}"}'),
    body: '{"name":"Jos\u00e9 \u{1f600}"}',
    encoding: "utf8",
  },
  {
    name: "a header twice",
    status: 401,
    headers: ["Content-Length", "0", "Set-Cookie", "a=1", "Set-Cookie", "b=2"],
  },
];

function json(body: string): string[] {
  return ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))];
}

/** Sends requests on one connection and returns all that came back, without the date. */
async function received(listener: RequestListener, requests: string): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await new Promise((resolve, reject) => {
      let text = "";
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () =>
        socket.write(requests),
      );
      socket.setEncoding("latin1");
      socket.on("data", (piece) => {
        text += piece;
      });
      socket.on("end", () => resolve(text.replace(/Date: [^\r]+ GMT\r\n/g, "Date\r\n")));
      socket.on("error", reject);
    });
  } finally {
    server.close();
  }
}

/** Two requests at once, so that the second answer has to wait for the first one's; the last ends the connection. */
function requests(method: string): string {
  const open = `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`;
  return `${open}${open}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
}

describe("an answer that is written at once", () => {
  for (const { name, status, headers, body, encoding = "latin1" } of CASES) {
    it.each(["GET", "HEAD"])(`has the bytes that node:http writes: ${name}, %s`, async (method) => {
      const ways: boolean[] = [];
      const frame = { headers, lines: headerLines(headers) as string, hasLength: true, encoding };
      const own = await received((request, response) => {
        if (request.url === "/last") response.end("last");
        else ways.push(endAtOnce(response, status, frame, "", body));
      }, requests(method));
      const usual = await received((request, response) => {
        if (request.url === "/last") response.end("last");
        else response.writeHead(status, [...headers]).end(body, encoding);
      }, requests(method));
      expect(ways).toEqual([true, true]);
      expect(own.split("Date").length).toBe(4);
      expect(own).toBe(usual);
    });
  }

  it("is written when its turn is over", async () => {
    const frame = {
      headers: [],
      lines: "Content-Length: 2\r\n",
      hasLength: true,
      encoding: "latin1",
    } as const;
    const written: boolean[] = [];
    const server = createServer((_request, response) => {
      expect(endAtOnce(response, 200, frame, "", "ok")).toBe(true);
      setImmediate(() => written.push(response.writableFinished));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    for (let asked = 0; asked < 3; asked++) {
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(socket, "data");
    }
    await expect.poll(() => written).toEqual([true, true, true]);
  });

  it("is left to node:http where the connection ends, where headers were set, and where there is no length", async () => {
    const frame = { headers: [], lines: "", hasLength: true, encoding: "latin1" } as const;
    const ways: boolean[] = [];
    const listener: RequestListener = (request, response) => {
      if (request.url === "/set") response.setHeader("X-Set", "1");
      if (request.url === "/last") response.shouldKeepAlive = false;
      ways.push(endAtOnce(response, 200, { ...frame, hasLength: request.url !== "/none" }, "", ""));
      response.end();
    };
    const lines = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const text = await received(listener, `${lines("/set")}${lines("/none")}${lines("/last")}`);
    expect(ways).toEqual([false, false, false]);
    expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
  });

  it.each(["a\r\nX-Evil: 1", "a\nb", "\u0000", "\u{1f600}", "\u007f"])(
    "never has %j in a header",
    (value) => {
      expect(headerLines(["X-Svc-User", value])).toBeUndefined();
    },
  );
});
