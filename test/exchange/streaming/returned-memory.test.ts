import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { giveBack } from "@svc-authorizer/commands/returned-memory.ts";
import { expect, it, onTestFinished } from "vitest";
import { startExchange } from "../start-exchange.ts";
import { send, uploadOf } from "./uploads.ts";

it("memory is given back by the piece that has it to itself", () => {
  const piece = Buffer.from(new ArrayBuffer(10));
  const part = piece.subarray(2, 4);
  giveBack(part);
  expect([piece.length, part.length]).toEqual([10, 2]);
  giveBack(piece);
  expect([piece.length, part.length]).toEqual([0, 0]);
});

it("an upload arrives whole at a data server that reads more slowly than the client sends", async () => {
  const content = randomBytes(24_000_000);
  const hash = createHash("sha256");
  const slow = createServer(async (request: IncomingMessage, response) => {
    // By now the connection is full, and what came since waits in the service.
    await setTimeout(300);
    for await (const piece of request) hash.update(piece as Buffer);
    response.end();
  });
  slow.listen(0, "127.0.0.1");
  await once(slow, "listening");
  onTestFinished(() => void slow.close());
  const authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
  });
  onTestFinished(() => authorizer.close());
  const upload = uploadOf("writer", content, { chunk: 70_000, trailer: "x-amz-checksum-crc32" });
  expect((await send(authorizer.streamingUrl as string, upload)).status).toBe(200);
  expect(hash.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
});
