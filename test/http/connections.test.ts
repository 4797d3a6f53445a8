/** Connections and answers that hold a listener (spec/security §5.3), over real sockets. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { ConnectionPlaces, type ListenerPlaces } from "../../src/http/server/connection-places.ts";
import { selfSigned } from "./certificate.ts";
import { API_TOKEN, type ServiceOptions, startService, type TestService } from "./service-kit.ts";

const NOBODY = { has: () => false };
const HEAD = "Host: test\r\nConnection: keep-alive";
const AUTHORIZED = `${HEAD}\r\nAuthorization: Bearer ${API_TOKEN}`;
const QUESTION = JSON.stringify({
  user: "alice",
  required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data" },
});
const CHECK = [
  "POST /access/v1/check HTTP/1.1",
  AUTHORIZED,
  "Content-Type: application/json",
  `Content-Length: ${QUESTION.length}`,
  "",
  QUESTION,
].join("\r\n");
const PROBE = `GET /healthz HTTP/1.1\r\n${HEAD}\r\n\r\n`;
const DOCUMENT = `GET /openapi.json HTTP/1.1\r\n${HEAD}\r\n\r\n`;

let service: TestService;
let counters = { connections: 0, connectionsRefused: 0, connectionsGivenUp: 0 };
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

interface Bounds {
  readonly connections: number;
  readonly perAddress?: number;
  readonly trusted?: { has(address: string | undefined): boolean };
}

async function start(
  { connections, perAddress = 0, trusted = NOBODY }: Bounds,
  options: ServiceOptions = {},
): Promise<ListenerPlaces> {
  counters = { connections: 0, connectionsRefused: 0, connectionsGivenUp: 0 };
  const places = new ConnectionPlaces(
    { connections, connectionsPerAddress: perAddress },
    trusted,
    counters,
  ).ofListener(1);
  service = await startService({ ...options, more: () => ({ places }) });
  return places;
}

/** A connection from an address of this machine: all of 127.0.0.0/8 is. */
async function open(from = "127.0.0.1"): Promise<Socket> {
  const { port } = new URL(service.url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: from });
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect").catch(() => {});
  return service.url.startsWith("https:") ? overTls(socket) : socket;
}

async function overTls(socket: Socket): Promise<Socket> {
  const encrypted = connectTls({ socket, rejectUnauthorized: false });
  encrypted.on("error", () => {});
  await once(encrypted, "secureConnect").catch(() => {});
  return encrypted;
}

/** Sends a request, and waits for the first bytes of its answer, or for the end of the connection. */
async function send(socket: Socket, text: string): Promise<string> {
  if (socket.destroyed) return "";
  const answer = Promise.race([once(socket, "data").then(([data]) => String(data)), once(socket, "close")]);
  socket.write(text);
  const got = await answer;
  return typeof got === "string" ? got.slice(9, 12) : "";
}

/** A connection that showed a credential: of others, the service takes few requests ahead. */
async function openKnown(): Promise<Socket> {
  const socket = await open();
  expect(await send(socket, CHECK)).toBe("200");
  return socket;
}

const isOpen = async (socket: Socket): Promise<boolean> => {
  await setTimeout(20);
  return !socket.destroyed && !socket.readableEnded;
};

describe("connections", () => {
  it("of one address are at most half of those of the listener; the one that was idle for longest gives way", async () => {
    await start({ connections: 8 });
    const own: Socket[] = [];
    for (let n = 0; n < 4; n++) own.push(await open("127.0.0.2"));
    expect(await send(own[0] as Socket, PROBE)).toBe("200");
    const further = await open("127.0.0.2");
    expect(await send(further, PROBE)).toBe("200");
    // The second has been idle for longer than the first, which was used since.
    await expect.poll(() => own[1]?.readableEnded || own[1]?.destroyed).toBe(true);
    expect(await isOpen(own[0] as Socket)).toBe(true);
    const other = await open("127.0.0.3");
    expect(await send(other, PROBE)).toBe("200");
    await expect.poll(() => counters).toMatchObject({ connections: 5, connectionsGivenUp: 1 });
  });

  it("that showed a credential do not count for their address, and are never closed for others", async () => {
    await start({ connections: 40 });
    const known: Socket[] = [];
    for (let n = 0; n < 30; n++) {
      const socket = await open();
      expect(await send(socket, CHECK)).toBe("200");
      known.push(socket);
    }
    for (let n = 0; n < 60; n++) await send(await open(`127.0.1.${n}`), PROBE);
    for (const socket of known) expect(await send(socket, CHECK)).toBe("200");
    expect(counters.connections).toBe(40);
  });

  it("are refused where all belong to callers who showed a credential", async () => {
    await start({ connections: 3 });
    for (let n = 0; n < 3; n++) expect(await send(await open(), CHECK)).toBe("200");
    expect(await send(await open("127.0.0.9"), CHECK)).toBe("");
    expect(counters.connectionsRefused).toBe(1);
    sockets[0]?.destroy();
    await expect.poll(async () => send(await open("127.0.0.9"), CHECK)).toBe("200");
  });

  it("of trusted peers do not count for their address, and only silent ones give way", async () => {
    await start({ connections: 6, trusted: { has: (address) => address === "127.0.0.7" } });
    const proxy: Socket[] = [];
    for (let n = 0; n < 5; n++) proxy.push(await open("127.0.0.7"));
    for (const socket of proxy.slice(0, 4)) expect(await send(socket, PROBE)).toBe("200");
    for (let n = 0; n < 5; n++) expect(await send(await open("127.0.0.8"), CHECK)).toBe(n < 2 ? "200" : "");
    expect(await isOpen(proxy[4] as Socket)).toBe(false);
    for (const socket of proxy.slice(0, 4)) expect(await send(socket, PROBE)).toBe("200");
  });

  it("of a listener have a bound, however many the process may have: then silent ones give way", async () => {
    counters = { connections: 0, connectionsRefused: 0, connectionsGivenUp: 0 };
    const trusted = { has: () => true };
    const process = new ConnectionPlaces({ connections: 100, connectionsPerAddress: 0 }, trusted, counters);
    const places = process.ofListener(1 / 2, 3);
    service = await startService({ more: () => ({ places }) });
    for (let n = 0; n < 6; n++) await open();
    expect(await send(await open(), PROBE)).toBe("200");
    expect(counters).toMatchObject({ connections: 3, connectionsGivenUp: 4, connectionsRefused: 0 });
  });

  it("of an address have a bound by default, however many there are: all may be reset at once", async () => {
    const places = await start({ connections: 100_000 });
    for (let opened = 0; opened < 3_200; opened += 100) {
      await Promise.all(Array.from({ length: 100 }, () => open()));
    }
    await expect.poll(() => counters.connectionsGivenUp).toBe(128);
    expect(places.taken).toBe(3_072);
    expect(counters.connectionsRefused).toBe(0);
  });

  it("give way at the address that has most of them, whatever listener that is", async () => {
    counters = { connections: 0, connectionsRefused: 0, connectionsGivenUp: 0 };
    const process = new ConnectionPlaces({ connections: 6, connectionsPerAddress: 6 }, NOBODY, counters);
    const [places, other] = [process.ofListener(1), process.ofListener(1 / 2)];
    service = await startService({ more: () => ({ places }) });
    const second = await startService({ more: () => ({ places: other }) });
    for (let n = 0; n < 6; n++) await open("127.0.0.2");
    await expect.poll(() => counters.connections).toBe(6);
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
    expect(counters).toMatchObject({ connections: 6, connectionsGivenUp: 1, connectionsRefused: 0 });
    await second.close();
  });
});

const TRANSPORTS: readonly (readonly [string, ServiceOptions])[] = [
  ["TCP", {}],
  ["TLS", { tls: selfSigned("localhost") }],
];

describe("answers that nobody takes", () => {
  it("end their connection within limits.request_timeout", async () => {
    await start({ connections: 100 }, { limits: { requestTimeoutMs: 500 } });
    const socket = await openKnown();
    socket.pause();
    socket.write(DOCUMENT.repeat(40));
    await expect.poll(() => counters.connections).toBe(0);
  });

  it.each(TRANSPORTS)(
    "are counted over all connections; those that took nothing for longest are closed, over %s",
    async (_name, transport) => {
      await start({ connections: 1_000 }, { ...transport, limits: { answersBytes: 1 << 20 } });
      const greedy: Socket[] = [];
      for (let n = 0; n < 20; n++) {
        const socket = await openKnown();
        socket.pause();
        socket.write(DOCUMENT.repeat(40));
        greedy.push(socket);
      }
      await expect.poll(() => counters.connections).toBeLessThan(10);
      expect(service.counters.answerBytes).toBeLessThanOrEqual(1 << 20);
      expect(await send(await open(), CHECK)).toBe("200");
      for (const socket of greedy) socket.destroy();
      await expect.poll(() => service.counters.answerBytes).toBe(0);
    },
  );

  /** Asks for one document after the other on each connection, and reads none. */
  async function askOn(peers: readonly Socket[], rounds: number): Promise<void> {
    for (const socket of peers) socket.pause();
    for (let round = 0; round < rounds; round++) {
      for (const socket of peers) if (!socket.destroyed) socket.write(DOCUMENT);
      await setTimeout(50);
    }
  }

  it.each([
    ["strangers", NOBODY, { answersBytes: 1 << 20 }],
    ["trusted peers", { has: () => true }, { trustedAnswersBytes: 1 << 20 }],
  ])(
    "of %s count until they show a credential; above the budget they are closed",
    async (_who, trusted, limits) => {
      await start({ connections: 1_000, trusted }, { limits });
      const [known, ...greedy] = [await openKnown(), await open(), await open(), await open(), await open()];
      await askOn(greedy, 10);
      await expect.poll(() => counters.connections).toBeLessThan(5);
      expect(await send(known as Socket, CHECK)).toBe("200");
      for (const socket of greedy) socket.destroy();
      await expect.poll(() => counters.connections).toBe(1);
      const shown = await open();
      shown.on("data", () => {});
      await send(shown, DOCUMENT);
      await expect.poll(() => service.counters.answerBytes).toBeGreaterThan(0);
      shown.write(CHECK);
      await expect.poll(() => service.counters.answerBytes).toBe(0);
    },
  );

  it.each(TRANSPORTS)(
    "keep their connection from being read: what comes behind them waits, and is answered when they are taken, over %s",
    async (_name, transport) => {
      await start({ connections: 10 }, transport);
      const socket = await openKnown();
      socket.pause();
      const padded = DOCUMENT.replace("Host", `X-Padding: ${"x".repeat(400)}\r\nHost`);
      socket.write(padded.repeat(50));
      await setTimeout(200);
      const before = service.counters.answerBytes;
      // More than the buffers of the connection hold, so that it would be seen if the service read on.
      socket.write(padded.repeat(20_000));
      await setTimeout(500);
      expect(service.counters.answerBytes).toBeLessThanOrEqual(before + 4096);
      let text = "";
      let answers = 0;
      socket.on("data", (data) => {
        text = text.slice(-20) + data;
        answers += text.split("HTTP/1.1 200").length - 1;
        text = text.slice(-11);
      });
      socket.resume();
      await expect.poll(() => answers).toBeGreaterThan(300);
    },
  );

  it("are few where a stranger sends ahead: the system would keep megabytes of them for each connection", async () => {
    await start({ connections: 40 });
    const whole = await fetch(`${service.url}/openapi.json`, { headers: { "accept-encoding": "identity" } });
    const length = (await whole.arrayBuffer()).byteLength;
    const taken = async (socket: Socket): Promise<number> => {
      let bytes = 0;
      socket.on("data", (data) => {
        bytes += data.length;
      });
      socket.write(DOCUMENT.repeat(16));
      await expect.poll(() => bytes > 16 * length || socket.destroyed || socket.readableEnded).toBe(true);
      return bytes / length;
    };
    // One document may have been on its way when the bound was reached.
    expect(await taken(await open())).toBeLessThan((64 << 10) / length + 2);
    expect(await taken(await openKnown())).toBeGreaterThan(16);
  });

  it("are read again by a caller who takes them: many requests ahead are answered in order", async () => {
    await start({ connections: 10 });
    const socket = await open();
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    const question = (n: number) =>
      CHECK.replace("Authorization", `X-Request-ID: request-${n}\r\nAuthorization`);
    for (let batch = 0; batch < 10; batch++) {
      socket.write(Array.from({ length: 100 }, (_, n) => question(batch * 100 + n)).join(""));
    }
    await expect.poll(() => text.match(/HTTP\/1\.1 200/g)?.length).toBe(1_000);
    const ids = [...text.matchAll(/X-Request-ID: request-(\d+)/g)].map(([, n]) => Number(n));
    expect(ids).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  });
});

describe("the document of the API", () => {
  it("is sent in the best coding that the client takes, with one tag, and 304 to whoever has it", async () => {
    await start({ connections: 10 });
    const get = (headers: Record<string, string>) => fetch(`${service.url}/openapi.json`, { headers });
    const plain = await get({ "accept-encoding": "identity" });
    const text = await plain.text();
    expect(JSON.parse(text).openapi).toMatch(/^3/);
    const tag = plain.headers.get("etag") as string;
    expect(tag).toMatch(/^W\/"/);
    for (const [accepted, coding] of [
      ["br, gzip", "br"],
      ["gzip;q=0.5, br;q=0", "gzip"],
      ["*", "br"],
      ["deflate", null],
    ] as const) {
      const answer = await get({ "accept-encoding": accepted });
      expect([accepted, answer.headers.get("content-encoding")]).toEqual([accepted, coding]);
      expect(answer.headers.get("vary")).toBe("Accept-Encoding");
      expect(await answer.text()).toBe(text);
    }
    expect((await get({ "if-none-match": `"x", ${tag}` })).status).toBe(304);
    expect((await get({ "if-none-match": '"x"' })).status).toBe(200);
    const head = await fetch(`${service.url}/openapi.json`, {
      method: "HEAD",
      headers: { "accept-encoding": "identity" },
    });
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  });
});
