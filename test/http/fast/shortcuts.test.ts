/** The insides of Node that shortcuts take, in the Node that runs this test; and a service that takes none. */
import { once } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { IncomingRequest } from "../../../src/http/fast/incoming-request.ts";
import { connectTo, post, raw, requestText, startService } from "../service-kit.ts";

describe(`Node ${process.versions.node}`, () => {
  it("keeps the head of a response in `_header`, null before there is one, and sends what is there", async () => {
    const heads: unknown[] = [];
    const server = createServer((_request, response) => {
      const inside = response as ServerResponse & { _header: string | null };
      heads.push(inside._header);
      inside._header = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Own: 1\r\nConnection: close\r\n\r\n";
      response.end("ok");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let text = "";
    for await (const piece of socket) text += piece;
    expect(heads).toEqual([null]);
    expect(text).toBe("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Own: 1\r\nConnection: close\r\n\r\nok");
  });

  it("gives each piece of a body to `push`, and null at its end", async () => {
    const pieces: (string | null)[] = [];
    class Watched extends IncomingMessage {
      override push(piece: Buffer | null): boolean {
        pieces.push(piece === null ? null : piece.toString());
        return super.push(piece);
      }
    }
    const server = createServer({ IncomingMessage: Watched }, (request, response) => {
      request.resume().on("end", () => response.end());
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "content" });
    expect(pieces).toEqual(["content", null]);
  });

  it("has the method that marks a stream as read and closed", () => {
    expect(Reflect.get(IncomingMessage.prototype, "_dumpAndCloseReadable")).toBeTypeOf("function");
    expect(Reflect.get(IncomingRequest.prototype, "_dumpAndCloseReadable")).toBeTypeOf("function");
  });
});

const QUESTION = JSON.stringify({
  user: "alice",
  required: { action: "fs:ReadRepository", resource: "arn:svc:fs:::repository/open" },
});
const PLAIN = { more: () => ({ shortcuts: false }) };

/** Lines of an answer in order, without those that are another time other ones. */
const linesOf = (text: string): string[] =>
  text
    .split("\r\n")
    .filter((line) => !/^(Date|X-Svc-Revision|X-Svc-Position):/i.test(line))
    .map((line) => line.replace(/"id":"d-[^"]+"/, '"id":""'))
    .sort();

describe("a service without shortcuts", () => {
  it("answers as one with them does", async () => {
    const services = await Promise.all([startService(), startService(PLAIN)]);
    onTestFinished(() => Promise.all(services.map((service) => service.close())).then(() => {}));
    const refused = QUESTION.replace("alice", "carol");
    const bodies = [QUESTION, refused, "{", "", JSON.stringify({ user: "jos\u00e9" })];
    const texts = services.map(async (service) => {
      const answers: string[] = [];
      for (const [index, body] of bodies.entries()) {
        const last = index === bodies.length - 1 ? ["Connection: close"] : ["Connection: keep-alive"];
        const headers = [`X-Request-ID: request-${index}`, ...last];
        const request = requestText(service, "/access/v1/check", body, headers);
        answers.push(
          await raw(service.url, request, last[0] === "Connection: close" ? undefined : /\r\n\r\n./),
        );
      }
      return answers.map(linesOf);
    });
    const [fast, plain] = await Promise.all(texts);
    expect(plain).toEqual(fast);
    expect(fast?.map((lines) => lines.find((line) => line.startsWith("HTTP/1.1")))).toEqual([
      "HTTP/1.1 200 OK",
      "HTTP/1.1 200 OK",
      ...Array.from({ length: 3 }, () => "HTTP/1.1 400 Bad Request"),
    ]);
  });

  it("reads a body that comes in pieces, and goes on with the connection", async () => {
    const service = await startService(PLAIN);
    onTestFinished(() => service.close());
    const socket = connectTo(service.url);
    let text = "";
    socket.setNoDelay(true).on("data", (piece) => {
      text += piece;
    });
    const request = requestText(service, "/access/v1/check", QUESTION);
    for (let round = 1; round <= 2; round += 1) {
      for (let at = 0; at < request.length; at += 50) {
        socket.write(request.slice(at, at + 50));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await expect.poll(() => text.match(/HTTP\/1.1 200 OK/g)?.length).toBe(round);
    }
    socket.destroy();
    expect((await post(service, "/access/v1/check", QUESTION)).body).toMatchObject({ allowed: true });
  });
});
