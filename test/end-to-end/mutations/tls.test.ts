/**
 * Whatever comes to the listeners with TLS, and to those that ask for a certificate of the client: handshakes that end at any byte,
 * records of none, requests and resets within TLS. Nobody ends the process, and no connection is left.
 */

import { readdirSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { selfSigned } from "../../http/certificate.ts";
import { sized } from "../../proofs/size.ts";
import { cleanUp, newFolder, type RunningProgram } from "../program.ts";
import { startFull } from "./full-service.ts";
import { rawMessages } from "./raw-messages.ts";

const [server, client, stranger] = ["server", "client", "stranger"].map(selfSigned) as [
  ReturnType<typeof selfSigned>,
  ReturnType<typeof selfSigned>,
  ReturnType<typeof selfSigned>,
];

let program: RunningProgram;
let listeners: readonly string[];

beforeAll(async () => {
  const folder = newFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tls = { enabled: true, cert_file: file("cert", server.cert), key_file: file("key", server.key) };
  program = await startFull({
    tls,
    "authorizer.tls": { ...tls, client_ca_file: file("clients", client.cert) },
    // Else the places of one address would be what is tested.
    "authorizer.limits.connections_per_address": 1_000,
  });
  listeners = [program.service, program.user, program.extAuthz ?? ""];
}, 60_000);

afterAll(async () => {
  await program?.end("SIGKILL");
  cleanUp();
});

const filesOf = (): number => readdirSync(`/proc/${program.child.pid}/fd`).length;

/** The status of a healthy caller. */
function status(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/healthz`,
      { rejectUnauthorized: false, ...client, agent: false },
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on("error", reject).end();
  });
}

type Ending = "reset" | "end" | "destroy";

function endBy(socket: Socket, ending: Ending): void {
  if (ending === "reset") socket.resetAndDestroy();
  else if (ending === "end") socket.end(() => setTimeout(() => socket.destroy(), 20));
  else socket.destroy();
}

/** A client that does a handshake, whose bytes end after some. */
function cutHandshake(url: string, bytes: number, ending: Ending, options: ConnectionOptions): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined).on("close", () => resolve());
    let left = bytes;
    const write = socket.write.bind(socket) as (piece: Uint8Array, ...more: never[]) => boolean;
    // The bytes of the handshake go through a pair of streams, so that they can be cut.
    const through = new ThroughSocket((piece) => {
      const part = piece.subarray(0, left);
      left -= part.length;
      if (part.length > 0) write(part);
      if (left === 0) setImmediate(() => endBy(socket, ending));
    });
    socket.on("data", (piece) => through.push(piece));
    socket.on("end", () => through.push(null));
    const secured = connectTls({ socket: through as never, rejectUnauthorized: false, ...options });
    secured.on("error", () => socket.destroy());
    secured.on("secureConnect", () => secured.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"));
    setTimeout(() => socket.destroy(), 500);
  });
}

/** A connection whose bytes are sent by a function. */
class ThroughSocket extends Duplex {
  readonly #send: (piece: Buffer) => void;
  constructor(send: (piece: Buffer) => void) {
    super();
    this.#send = send;
  }
  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.#send(piece);
    done();
  }
  override _read(): void {}
}

/** Sends bytes within TLS, and after them some outside of it; resolves when the connection is closed. */
function within(
  url: string,
  { bytes, cut }: { readonly bytes: Buffer; readonly cut: number },
  { ending, plain, options }: { ending: Ending; plain: Buffer; options: ConnectionOptions },
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    const secured = connectTls({ socket, rejectUnauthorized: false, ...options });
    secured.on("data", (piece) => {
      text += piece.toString("latin1");
    });
    socket.on("error", () => undefined).on("close", () => resolve(text));
    secured.on("error", () => socket.destroy());
    secured.on("secureConnect", () => {
      secured.write(bytes.subarray(0, cut));
      setImmediate(() => {
        secured.write(bytes.subarray(cut), () => {
          if (plain.length > 0) socket.write(plain);
          endBy(ending === "end" ? secured : socket, ending);
        });
      });
    });
    setTimeout(() => socket.destroy(), 2_000);
  });
}

const ending = fc.constantFrom("reset" as const, "end" as const, "destroy" as const);
const options = fc.constantFrom<ConnectionOptions>(
  { ...client },
  { ...client },
  { ...client, maxVersion: "TLSv1.2" },
  {},
  { ...stranger },
  { ...client, ALPNProtocols: ["h2"] },
  { ALPNProtocols: ["x"] },
  { ciphers: "AES256-SHA", maxVersion: "TLSv1.2" },
);
/** Records that are none, sent beside those of the connection. */
const plain = fc
  .constantFrom(
    ...[
      "",
      "",
      "",
      "GET / HTTP/1.1\r\n\r\n",
      "\u0016\u0003\u0003\u0000\u0005abcde",
      "\u0017\u0003\u0003\u0000\u0010aaaaaaaaaaaaaaaa",
    ],
    ...[
      "\u0015\u0003\u0003\u0000\u0002\u0002\u0028",
      "\u0014\u0003\u0003\u0000\u0001\u0001",
      "\u00ff".repeat(20_000),
    ],
  )
  .map((text) => Buffer.from(text, "latin1"));

it("a handshake that ends at any byte leaves nothing", { timeout: 3_600_000 }, async () => {
  await Promise.all(listeners.slice(0, 2).map(status));
  const before = filesOf();
  const step = sized(29, 1);
  for (const url of listeners) {
    for (const kind of [client, {}, { ...client, maxVersion: "TLSv1.2" as const }]) {
      const places = Array.from({ length: Math.ceil(1_600 / step) }, (_, index) => 1 + index * step);
      for (let from = 0; from < places.length; from += 20) {
        const some = places.slice(from, from + 20);
        await Promise.all(
          some.map((at) =>
            cutHandshake(url, at, (["reset", "end", "destroy"] as const)[at % 3] as Ending, kind),
          ),
        );
      }
      expect(program.child.exitCode).toBeNull();
    }
  }
  expect(await status(program.service)).toBe(200);
  await expect.poll(filesOf).toBeLessThanOrEqual(before + 1);
});

it("no bytes within TLS end the process, are an internal error or leave a connection", {
  timeout: 3_600_000,
}, async () => {
  const before = filesOf();
  const answers = { some: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 2 }),
      rawMessages,
      fc.record({ ending, plain, options }),
      async (index, message, how) => {
        const text = await within(listeners[index] as string, message, how);
        if (text !== "") answers.some++;
        expect(text).not.toMatch(/^HTTP\/1\.1 500 /m);
        expect(program.child.exitCode).toBeNull();
      },
    ),
    { numRuns: sized(400, 20_000) },
  );
  expect(answers.some).toBeGreaterThan(10);
  expect(await status(program.service)).toBe(200);
  expect(await status(program.user)).toBe(200);
  expect(program.stdout()).not.toMatch(/ ERROR /);
  await expect.poll(filesOf).toBeLessThanOrEqual(before + 1);
});
