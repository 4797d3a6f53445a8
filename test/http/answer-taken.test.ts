/** Requests that come as soon as the answer before them is there are not sent ahead, however late Node tells that it was written. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer } from "../../src/http/answer.ts";
import type { TlsMaterial } from "../../src/http/server/server-lifecycle.ts";
import { bareServer } from "./bare-server.ts";
import { selfSigned } from "./certificate.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";
const CONNECTIONS = 32;
const ASKED = 100;

/** Asks on many connections, on each of them when the answer before is there. */
const CALLERS = `
  const [port, tls] = process.argv.slice(1);
  for (let n = 0; n < ${CONNECTIONS}; n++) {
    let asked = 0;
    const ask = () => (asked++ < ${ASKED} ? socket.write(${JSON.stringify(REQUEST)}) : socket.destroy());
    const place = { port, host: "127.0.0.1", rejectUnauthorized: false };
    const socket = tls ? require("node:tls").connect(place, ask) : require("node:net").connect(place, ask);
    socket.on("data", ask);
  }
`;

/** Starts a server; returns its port, and of each request whether it counted as sent ahead. */
async function start(tls: TlsMaterial | undefined): Promise<{ port: number; ahead: boolean[] }> {
  const ahead: boolean[] = [];
  const managed = bareServer(
    (exchange) => {
      ahead.push(exchange.isLate);
      answer(exchange, "{}");
    },
    { tls },
  );
  onTestFinished(() => managed.close());
  return { port: Number(new URL(await managed.listen({ host: "127.0.0.1", port: 0 })).port), ahead };
}

describe.each([
  ["TCP", undefined],
  ["TLS", selfSigned("localhost")],
] as const)("over %s, a request", (_name, tls) => {
  it("that comes when the answer before it is there is served at once", async () => {
    const { port, ahead } = await start(tls);
    await promisify(execFile)(process.execPath, ["-e", CALLERS, "--", String(port), tls ? "tls" : ""]);
    expect(ahead.length).toBe(CONNECTIONS * ASKED);
    expect(ahead).not.toContain(true);
  });

  it("that comes before has to wait", async () => {
    const { port, ahead } = await start(tls);
    const place = { port, host: "127.0.0.1", rejectUnauthorized: false };
    const socket = tls === undefined ? connect(place) : connectTls(place);
    onTestFinished(() => void socket.destroy());
    await once(socket, tls === undefined ? "connect" : "secureConnect");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.write(REQUEST.repeat(3));
    await expect.poll(() => text.match(/HTTP\/1\.1 200/g)?.length).toBe(3);
    expect(ahead).toEqual([false, true, true]);
  });
});
