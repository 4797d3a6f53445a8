/**
 * Whatever comes to the listener of ext_authz: no answer lets pass what is not allowed, none is an internal error, and no caller
 * ends the process or keeps its connections.
 */

import { readdirSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHECK_PATH } from "../../../src/api/ext-authz/check.ts";
import { type CheckResponse, DEFINITIONS } from "../../../src/api/ext-authz/messages.ts";
import { sized } from "../../proofs/size.ts";
import { cleanUp, type RunningProgram } from "../program.ts";
import { type EnvoyMessage, envoyMessage } from "./envoy-messages.ts";
import { CREDENTIALS, PROXY_TOKEN, restoreExamples, startFull } from "./full-service.ts";
import { isAllowed } from "./second-opinion.ts";

const DEFINED = fromJSON(DEFINITIONS as never, { arrays: true, defaults: true, keepCase: true });
const answerOf = (
  DEFINED["envoy.service.auth.v3.Authorization"] as unknown as {
    Check: { responseDeserialize: (bytes: Buffer) => CheckResponse };
  }
).Check.responseDeserialize;

let program: RunningProgram;
let client: Client;

beforeAll(async () => {
  program = await startFull();
  await restoreExamples(program);
  client = new Client(new URL(program.extAuthz ?? "").host, credentials.createInsecure());
}, 60_000);

afterAll(async () => {
  client?.close();
  await program.end("SIGKILL");
  cleanUp();
});

/** The answer, or the error of the call. */
function check(bytes: Buffer): Promise<CheckResponse | ServiceError> {
  const metadata = new Metadata();
  metadata.set("authorization", CREDENTIALS.service);
  metadata.set("x-svc-proxy-token", PROXY_TOKEN);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      CHECK_PATH,
      (sent: Buffer) => sent,
      answerOf,
      bytes,
      metadata,
      { deadline: Date.now() + 60_000 },
      (error: ServiceError | null, answer?: CheckResponse) => resolve(error ?? (answer as CheckResponse)),
    );
  });
}

it("a mutated question lets nothing pass that is not allowed", { timeout: 3_600_000 }, async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(envoyMessage, async (message) => {
      const answer = await check(message.bytes);
      const name = "code" in answer ? `error ${answer.code}` : `${answer.status.code}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
      // Envoy may let requests pass where there is no answer.
      if ("code" in answer)
        expect(answer.code === status.RESOURCE_EXHAUSTED || !message.isWhole, answer.details).toBe(true);
      else if (answer.status.code === 0) {
        const headers = answer.ok_response?.headers ?? [];
        const user = headers.find(({ header }) => header.key === "x-svc-user")?.header.value ?? "";
        expect(await isAllowed(program, user, message), user).toBe(true);
      }
    }),
    { numRuns: sized(1_000, 40_000) },
  );
  expect([...seen.keys()]).toEqual(expect.arrayContaining(["0", "7", "16"]));
  expect(program.child.exitCode).toBeNull();
});

const filesOf = (): number => readdirSync(`/proc/${program.child.pid}/fd`).length;

/** Many calls on one connection, all of them ended at once in some way. */
function burst(way: "rst" | "goaway" | "reset" | "half", streams: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(program.extAuthz ?? "");
    const socket = connect(Number(port), hostname);
    const session = connectHttp2(program.extAuthz ?? "", { createConnection: () => socket });
    session.on("error", () => undefined);
    session.on("close", () => resolve());
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    session.on("connect", () => {
      for (let index = 0; index < streams; index++) {
        const stream = session.request({
          ":method": "POST",
          ":path": CHECK_PATH,
          "content-type": "application/grpc",
          te: "trailers",
          authorization: CREDENTIALS.service,
          "x-svc-proxy-token": PROXY_TOKEN,
        });
        stream.on("error", () => undefined);
        const frame = Buffer.alloc(5);
        frame.writeUInt32BE(bytes.length, 1);
        const whole = Buffer.concat([frame, bytes]);
        if (way === "half") stream.write(whole.subarray(0, index % (whole.length + 1)));
        else stream.end(whole);
        if (way === "rst") setImmediate(() => stream.close(8));
      }
      setTimeout(() => {
        if (way === "goaway") session.goaway(2);
        if (way === "reset" || way === "half") socket.resetAndDestroy();
        else session.close(() => session.destroy());
        setTimeout(() => socket.destroy(), 500);
      }, streams % 7);
    });
  });
}

it("callers that break off their calls leave nothing", { timeout: 3_600_000 }, async () => {
  const [{ bytes }] = fc.sample(
    envoyMessage.filter(({ bytes }) => bytes.length > 0 && bytes.length < 1_000),
    1,
  ) as [EnvoyMessage];
  await check(bytes);
  const before = filesOf();
  for (let round = 0; round < sized(10, 200); round++) {
    const ways = (["rst", "goaway", "reset", "half"] as const).flatMap((way) =>
      [1, 20, 300].map((count) => burst(way, count, bytes)),
    );
    await Promise.all(ways);
    expect(program.child.exitCode).toBeNull();
  }
  await expect.poll(filesOf).toBeLessThanOrEqual(before);
  const answer = await check(bytes);
  expect("code" in answer ? answer.code : status.OK).not.toBe(status.UNAVAILABLE);
  expect(program.stdout()).not.toMatch(/ ERROR /);
});
