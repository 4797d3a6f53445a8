/**
 * Whatever is sent: no answer is an internal error (500), and no caller ends the process. Requests are mutations of the examples of
 * every operation that the documents declare; a new operation is among them by being declared.
 */

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sized } from "../../proofs/size.ts";
import { cleanUp, type RunningProgram } from "../program.ts";
import { CREDENTIALS, restoreExamples, sendBytes, startFull } from "./full-service.ts";
import { type MutatedRequest, mutatedRequest } from "./mutated-requests.ts";
import { rawMessages } from "./raw-messages.ts";

const REQUESTS = sized(1_500, 60_000);
const MESSAGES = sized(600, 40_000);
/** Requests after which what the examples name is made again. */
const RESTORED_AFTER = 100;
/** Time for which a stream is read. */
const STREAM_MS = 100;
const STREAMING = / streaming=(\S+)/;
const INTERNAL = /^HTTP\/1\.1 500 /m;

let program: RunningProgram;

beforeAll(async () => {
  program = await startFull();
}, 60_000);

afterAll(async () => {
  await program.end("SIGKILL");
  cleanUp();
});

/** The last error in the log of the service. */
function lastError(): string | undefined {
  return program
    .stdout()
    .match(/^.* ERROR .*$/gm)
    ?.at(-1);
}

async function statusOf({ listener, method, target, headers, body }: MutatedRequest): Promise<number> {
  const response = await fetch(program[listener] + target, {
    method,
    redirect: "manual",
    headers: { authorization: CREDENTIALS[listener], ...headers },
    ...(body !== undefined && { body }),
  });
  const isStream = /event-stream|ndjson/.test(response.headers.get("content-type") ?? "");
  const reading = response.arrayBuffer();
  if (!isStream) await reading;
  else {
    reading.catch(() => undefined);
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, STREAM_MS))]);
    await response.body?.cancel().catch(() => undefined);
  }
  return response.status;
}

it("a mutated request of any operation is answered, and never with an internal error", {
  timeout: 3_600_000,
}, async () => {
  let sent = 0;
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(mutatedRequest, async (request) => {
      if (sent++ % RESTORED_AFTER === 0) await restoreExamples(program);
      const status = await statusOf(request);
      statuses.add(status);
      expect(status, lastError()).not.toBe(500);
    }),
    { numRuns: REQUESTS },
  );
  // Else the mutations are too many to get anywhere.
  for (const status of [200, 201, 204, 400, 404, 409]) expect(statuses).toContain(status);
});

it("no bytes of a stranger end the process or are an internal error", { timeout: 3_600_000 }, async () => {
  const { service, user, metrics, extAuthz = "" } = program;
  await expect.poll(() => program.stdout()).toMatch(STREAMING);
  const [, streaming = ""] = STREAMING.exec(program.stdout()) ?? [];
  const listener = fc.constantFrom(service, user, metrics, extAuthz, streaming);
  await fc.assert(
    fc.asyncProperty(listener, rawMessages, async (url, message) => {
      expect(await sendBytes(url, message)).not.toMatch(INTERNAL);
      expect(program.child.exitCode).toBeNull();
    }),
    { numRuns: MESSAGES },
  );
  expect((await fetch(`${service}/healthz`)).status).toBe(200);
});
