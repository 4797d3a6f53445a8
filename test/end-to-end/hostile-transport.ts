/** Bodies, connections and headers that are made to hold up a service. */

import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { arn, calling, type HostileCase, range, type Target } from "./hostile-calls.ts";

function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  return socket;
}

/** Sends bytes as fast as they are taken; resolves when the connection is closed, or after a while. */
async function send(url: string, pieces: Iterable<string>, forMs = 15_000): Promise<void> {
  const socket = open(url);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.resume();
  const sending = async () => {
    for (const piece of pieces) {
      if (socket.destroyed) return;
      if (!socket.write(piece)) {
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      }
    }
  };
  await Promise.race([Promise.all([sending(), closed]), setTimeout(forMs, undefined, { ref: false })]);
  socket.destroy();
}

const head = (path: string, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");

function* repeated(first: string, piece: string, times: number): Generator<string> {
  yield first;
  for (let index = 0; index < times; index++) yield piece;
}

const JSON_CHUNKED = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
const authorized = ({ token }: Target, ...lines: string[]) => [`Authorization: Bearer ${token}`, ...lines];
const ONE_BYTE_PIECES = "1\r\n \r\n".repeat(10_000);
/** Bodies, connections and headers. */
export const TRANSPORT: readonly HostileCase[] = [
  ...[4, 40].map((bodies) => ({
    name: `${bodies} log-in bodies at once in pieces of one byte`,
    run: ({ program }: Target) =>
      Promise.all(
        range(bodies, () =>
          send(program.user, repeated(head("/api/v1/auth/login", JSON_CHUNKED), ONE_BYTE_PIECES, 100)),
        ),
      ),
  })),
  {
    name: "a head line of NDJSON in pieces of one byte",
    run: (target) =>
      send(
        target.program.service,
        repeated(
          head(
            "/access/v1/filter",
            authorized(target, "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"),
          ),
          ONE_BYTE_PIECES,
          100,
        ),
      ),
  },
  {
    name: "500 log-ins that do not end",
    run: async ({ program }) => {
      const length = head("/api/v1/auth/login", ["Content-Type: application/json", "Content-Length: 100"]);
      const sockets = range(500, () => open(program.user));
      for (const socket of sockets) socket.write(`${length}{`);
      await setTimeout(300);
      const started = performance.now();
      const answer = await fetch(`${program.user}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ access_key_id: "x", secret_access_key: "y" }),
      });
      for (const socket of sockets) socket.destroy();
      if (answer.status !== 401) throw new Error(`log-in answered ${answer.status}`);
      if (performance.now() - started > 5000) throw new Error("log-in waited for the unfinished ones");
    },
  },
  {
    name: "100,000 requests ahead on one connection",
    run: ({ program }) =>
      send(
        program.service,
        repeated("", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000), 100),
        10_000,
      ),
  },
  {
    name: "100 scrapes of metrics at once",
    run: ({ program }) =>
      Promise.all(range(100, () => fetch(`${program.metrics}/metrics`).then((answer) => answer.text()))),
  },
  ...(
    [
      ["empty objects", `{"a":[${"{},".repeat(5_500_000)}{}]}`],
      ["empty arrays", `{"a":[${"[],".repeat(5_500_000)}[]]}`],
      ["different names", `{${range(1_100_000, (index) => `"${index.toString(36)}":${index}`).join()}}`],
      ["one long string of escapes", `{"a":"${"\\u0000".repeat(2_700_000)}"}`],
      ["one long number", `[${"1".repeat(16_000_000)}]`],
    ] as const
  ).map(([what, text]) => ({
    name: `16 MiB of JSON: ${what}`,
    statuses: [413],
    run: calling("filter", () => text),
  })),
  { name: "1 MiB of brackets", statuses: [400], run: calling("check", () => "[".repeat(1_000_000)) },
  {
    name: "half a MiB of repeated members about a request",
    statuses: [400],
    run: calling("request", () => `{${'"body":{},'.repeat(49_000)}"user":"steady"}`),
  },
  {
    name: "1 MiB of repeated members about a request",
    statuses: [413],
    run: calling("request", () => `{${'"body":{},'.repeat(100_000)}"user":"steady"}`),
  },
  ...(
    [
      ["lines that are no items", "1\n".repeat(500_000)],
      ["blank lines", "\n".repeat(2_000_000)],
    ] as const
  ).map(([what, lines]) => ({
    name: `a million bytes of ${what}`,
    run: (target: Target) =>
      fetch(`${target.program.service}/access/v1/filter`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.token}`, "content-type": "application/x-ndjson" },
        body: `{"user":"steady","action":"fs:ReadObject"}\n${lines}`,
      }).then((answer) => answer.text()),
  })),
  {
    name: "filtered items that nobody reads",
    run: async (target) => {
      const socket = open(target.program.service);
      socket.pause();
      const length = 8 << 20;
      const lines = authorized(target, "Content-Type: application/x-ndjson", `Content-Length: ${length}`);
      socket.write(head("/access/v1/filter", lines));
      socket.write('{"user":"steady","action":"fs:ReadObject"}\n');
      const item = `${JSON.stringify(arn("data/object/x"))}\n`;
      socket.write(item.repeat(Math.floor(length / item.length) - 4));
      await setTimeout(2000);
      socket.destroy();
    },
  },
];
