/**
 * Contents that pass through a process do not wait for the collector. Whether they can be given back depends on how the Node
 * that runs this parses answers: where it no longer copies contents out of what a socket read, the first test says so.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { HttpExchange } from "@svc-authorizer/svcctl/transfer/connection/http-exchange.ts";
import { SocketMemory } from "@svc-authorizer/svcctl/transfer/connection/socket-memory.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../test/http/certificate.ts";

const MIB = 2 ** 20;
const CONTENT = Buffer.alloc(64 * MIB);
for (let at = 0; at < CONTENT.length; at += 4) CONTENT.writeUInt32LE(at, at);
const DIGEST = createHash("sha256").update(CONTENT).digest("hex");
/** Contents that are fetched one after the other on one connection: left alone, the collector lets more than 70 MiB wait. */
const TIMES = 4;
const MOST_WAITING = 24 * MIB;

/** A server of the content; gives its address. */
async function served(isSecure: boolean): Promise<string> {
  const certificate = selfSigned("localhost");
  const answer = (_: unknown, response: { end(content: Buffer): unknown }) => void response.end(CONTENT);
  const server = isSecure ? createSecureServer(certificate, answer) : createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const { port } = server.address() as { port: number };
  return `${isSecure ? "https" : "http"}://127.0.0.1:${port}/`;
}

describe.each([
  ["", false],
  [" over TLS", true],
])("a content%s", (_, isSecure) => {
  it("that goes into a file does not wait for the collector, and arrives whole", async () => {
    const url = await served(isSecure);
    const exchange = new HttpExchange(1);
    onTestFinished(() => exchange.close());
    const file = openSync("/dev/null", "w");
    onTestFinished(() => closeSync(file));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let count = 0; count < TIMES; count++) {
      const hash = createHash("sha256");
      const onWritten = (bytes: Buffer): void => {
        hash.update(bytes);
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      };
      const answer = await exchange.send({ method: "GET", url });
      await answer.intoFile({ file, start: 0, length: CONTENT.length, onWritten });
      expect(hash.digest("hex")).toBe(DIGEST);
    }
    expect(most).toBeLessThan(MOST_WAITING);
  });

  it("whose pieces are taken slowly arrives whole", async () => {
    const exchange = new HttpExchange(1);
    onTestFinished(() => exchange.close());
    const hash = createHash("sha256");
    const answer = await exchange.send({ method: "GET", url: await served(isSecure) });
    await answer.each(async (piece) => {
      await new Promise(setImmediate);
      hash.update(piece);
      answer.giveBack(piece);
    });
    expect(hash.digest("hex")).toBe(DIGEST);
  });
});

describe("what a socket read", () => {
  const memory = new SocketMemory();
  const piece = (): Buffer => Buffer.from(new ArrayBuffer(10));

  it("is left alone until contents turn out to be copies, and where they are none", () => {
    const socket = new Socket();
    memory.follow(socket);
    const read = [piece(), piece(), piece()];
    socket.emit("data", read[0]);
    memory.saw((read[0] as Buffer).subarray(2));
    for (const one of read) socket.emit("data", one);
    expect(read.map(({ length }) => length)).toEqual([10, 10, 10]);
  });

  it("is given back once the next piece is there", () => {
    const socket = new Socket();
    const copying = new SocketMemory();
    copying.follow(socket);
    copying.follow(socket);
    const read = [piece(), piece(), piece(), piece()];
    socket.emit("data", read[0]);
    copying.saw(Buffer.from(new ArrayBuffer(4)));
    for (const one of read.slice(1)) socket.emit("data", one);
    expect(read.map(({ length }) => length)).toEqual([10, 0, 0, 10]);
  });
});
