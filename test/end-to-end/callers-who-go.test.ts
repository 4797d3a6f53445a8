/**
 * A caller who goes while the service decides costs nobody else anything: the work ends, and the process goes on. A batch has
 * elements that are gathered while the first is still decided, so a failure that nobody waits for would end the process.
 */

import { type ClientRequest, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { arn, range } from "./hostile-calls.ts";
import { COLD_USERS } from "./hostile-directory.ts";
import { type HostileService, startHostile } from "./hostile-service.ts";
import { cleanUp } from "./program.ts";

/** Callers who go, one after the other, before they had an answer. */
const GONE = COLD_USERS.length;

let service: HostileService;
beforeAll(async () => {
  service = await startHostile();
}, 60_000);
afterAll(cleanUp);

/** Sends a request whose answer nobody waits for. */
function sent(path: string, body: unknown): ClientRequest {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${service.token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  const made = request(`${service.program.service}${path}`, { method: "POST", agent: false, headers });
  made.on("error", () => undefined);
  made.end(text);
  return made;
}

/** Work that nobody asked the service for before: its first element is decided for longer than others are gathered. */
const batchOf = (user: string): unknown => ({
  subject: { type: "user", id: user },
  action: { name: "fs:ReadObject" },
  evaluations: range(1_000, (index) => ({
    resource: { type: "arn", id: arn(`${"a1".repeat(100)}${index}`) },
  })),
});

it("callers of /evaluations who go while the first element is decided", async () => {
  let gone = 0;
  for (const user of COLD_USERS) {
    let isAnswered = false;
    const asked = sent("/access/v1/evaluations", batchOf(user));
    asked.on("response", () => {
      isAnswered = true;
    });
    // It is read and begun once one who came after it has an answer.
    await service.ask(false);
    asked.destroy();
    if (!isAnswered) gone++;
    await service.ask(false);
  }
  expect(gone).toBe(GONE);
  await service.longestHold();
  expect(service.program.child.exitCode).toBeNull();
  await service.ask(false);
}, 120_000);
