/** Damaged bodies of every kind: none of them ever becomes an object (spec/exchange §6). */

import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sized } from "../../proofs/size.ts";
import { type OneKeyServer, startOneKeyServer } from "../one-key-server.ts";
import { numbers } from "../random-numbers.ts";
import { startExchange } from "../start-exchange.ts";
import { damage } from "./damage.ts";
import { send, uploadOf } from "./uploads.ts";

const SEED = 20_261_127;
const AT_ONCE = 16;
const TRAILERS = [undefined, "x-amz-checksum-crc32", "x-amz-checksum-crc32c", "x-amz-checksum-sha1"];

let dataServer: OneKeyServer;
let authorizer: TestAuthorizer;
beforeAll(async () => {
  dataServer = await startOneKeyServer();
  authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
  });
});
afterAll(async () => {
  await authorizer?.close();
  await dataServer?.close();
});

describe("damaged uploads", () => {
  it(`never become an object (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
    const next = numbers(SEED);
    const url = authorizer.streamingUrl as string;
    const count = sized(500, 10_000);
    let left = count;
    const answers = new Map<number, number>();
    const kinds = new Set<string>();
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const content = Buffer.from(Array.from({ length: 1 + Math.floor(next() * 400) }, () => next() * 256));
        const trailer = TRAILERS[Math.floor(next() * TRAILERS.length)];
        const chunk = 1 + Math.floor(next() * 200);
        const { kind, upload } = damage(uploadOf("writer", content, { chunk, trailer }), next);
        kinds.add(kind);
        const { status, text } = await send(url, upload);
        expect([400, 403], `${kind}: ${text}`).toContain(status);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(dataServer.arrived.map(({ headers }) => headers)).toEqual([]);
    expect(kinds.size).toBe(10);
    // A sound one of the same making does.
    const sound = uploadOf("writer", Buffer.from("sound"), { chunk: 2, trailer: "x-amz-checksum-crc32" });
    expect((await send(url, sound)).status).toBe(200);
    expect(dataServer.arrived).toHaveLength(1);
  });
});
