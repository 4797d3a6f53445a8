/** Answers that go into a file, however the network cuts them into pieces. */
import { once } from "node:events";
import { open, readFile, writeFile } from "node:fs/promises";
import http, { createServer as createProxy } from "node:http";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { HttpExchange } from "@svc-authorizer/svcctl/transfer/connection/http-exchange.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../test/http/certificate.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const CONTENT = Buffer.from("0123456789".repeat(300_000));
const HEAD = Buffer.from(`HTTP/1.1 206 Partial Content\r\ncontent-length: ${CONTENT.length}\r\n\r\n`);

async function listening(answer: (socket: Socket) => Promise<void>, secure?: { key: string; cert: string }) {
  const onConnection = async (socket: Socket) => {
    socket.on("error", () => {});
    await once(socket, "data");
    await answer(socket);
  };
  const server = secure === undefined ? createServer(onConnection) : createSecureServer(secure, onConnection);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return secure === undefined ? `http://127.0.0.1:${port}/` : `https://127.0.0.1:${port}/`;
}

/** Writes what a server answers behind the first 10 bytes of a file. */
async function received(url: string, signal?: AbortSignal, length = CONTENT.length, mode = "w") {
  const exchange = new HttpExchange(1);
  const path = join(temporaryFolder(), "a");
  await writeFile(path, "");
  const file = await open(path, mode);
  let written = 10;
  try {
    const answer = await exchange.send({ method: "GET", url, signal });
    await answer.intoFile({
      file: file.fd,
      start: 10,
      length,
      onWritten: (bytes) => {
        written += bytes.length;
      },
    });
  } finally {
    await file.close();
    exchange.close();
  }
  return { written, isWhole: (await readFile(path)).subarray(10).equals(CONTENT) };
}

const WHOLE = { written: CONTENT.length + 10, isWhole: true };

async function inPieces(socket: Socket, ...pieces: readonly Buffer[]) {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await setTimeout(5);
  }
}

describe("an answer that goes into a file", () => {
  it.each([
    ["head and content in one piece", [Buffer.concat([HEAD, CONTENT])]],
    ["the head in three pieces", [HEAD.subarray(0, 5), HEAD.subarray(5, 40), HEAD.subarray(40), CONTENT]],
    [
      "the head with one byte of the content",
      [Buffer.concat([HEAD, CONTENT.subarray(0, 1)]), CONTENT.subarray(1)],
    ],
    [
      "the content in pieces of odd sizes",
      [HEAD, CONTENT.subarray(0, 1), CONTENT.subarray(1, 999_983), CONTENT.subarray(999_983)],
    ],
  ])("arrives whole with %s", async (_, pieces) => {
    const url = await listening((socket) => inPieces(socket, ...pieces));
    expect(await received(url)).toEqual(WHOLE);
  });

  it("arrives whole over TLS", async () => {
    const certificate = selfSigned("localhost");
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, certificate.cert]);
    onTestFinished(() => setDefaultCACertificates(before));
    const url = await listening((socket) => inPieces(socket, HEAD, CONTENT), certificate);
    expect(await received(url)).toEqual(WHOLE);
  });

  it("arrives whole through the proxy that Node uses", async () => {
    const asked: string[] = [];
    const proxy = createProxy((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(206, { "content-length": CONTENT.length }).end(CONTENT);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as { port: number };
    const before = http.globalAgent;
    http.globalAgent = new http.Agent({ proxyEnv: { HTTP_PROXY: `http://127.0.0.1:${port}` } });
    onTestFinished(() => {
      http.globalAgent = before;
    });
    expect(await received("http://data.example.test/a")).toEqual(WHOLE);
    expect(asked).toEqual(["http://data.example.test/a"]);
  });

  it("arrives whole without a length in its head", async () => {
    const head = Buffer.from("HTTP/1.1 206 Partial Content\r\nconnection: close\r\n\r\n");
    const url = await listening(async (socket) => {
      await inPieces(socket, head, CONTENT);
      socket.end();
    });
    expect(await received(url)).toEqual(WHOLE);
  });

  it.each([
    ["ends early", (socket: Socket) => socket.end()],
    ["is reset", (socket: Socket) => socket.resetAndDestroy()],
  ])("that %s fails with the code of a connection that was cut", async (_, cut) => {
    const url = await listening(async (socket) => {
      await inPieces(socket, HEAD, CONTENT.subarray(0, 500_000));
      cut(socket);
    });
    await expect(received(url)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("of another length than the range fails", async () => {
    const url = await listening((socket) => inPieces(socket, HEAD, CONTENT));
    await expect(received(url, undefined, 7)).rejects.toMatchObject({ message: "the content ended early" });
  });

  it("into a file that takes nothing fails with the error of the file", async () => {
    const url = await listening((socket) => inPieces(socket, HEAD, CONTENT));
    await expect(received(url, undefined, CONTENT.length, "r")).rejects.toMatchObject({
      code: "EBADF",
      syscall: "write",
    });
  });

  it("ends when the caller ends it", async () => {
    const ending = new AbortController();
    const url = await listening(async (socket) => {
      await inPieces(socket, HEAD, CONTENT.subarray(0, 500_000));
      ending.abort();
    });
    await expect(received(url, ending.signal)).rejects.toMatchObject({ name: "AbortError" });
  });
});
