/**
 * A caller who goes while the service decides costs nobody else anything: the work ends, and the process goes on. A batch has
 * elements that are gathered while the first is still decided, so a failure that nobody waits for would end the process.
 */

import { type ClientRequest, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { arn, range } from "./hostile-calls.ts";
import { type HostileService, startHostile } from "./hostile-service.ts";
import { cleanUp } from "./program.ts";

/** Callers who go, one after the other, before they had an answer. */
const GONE = 10;

let service: HostileService;
beforeAll(async () => {
  service = await startHostile();
});
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

/** Explanations of 10,000 statements: the first is made for longer than the others are begun. */
const BATCH = {
  subject: { type: "user", id: "wide" },
  action: { name: "fs:ReadObject" },
  evaluations: range(100, (index) => ({ resource: { type: "arn", id: arn(`r${index}/x`) } })),
};

it("callers of /evaluations who go while the first element is decided", async () => {
  for (let gone = 0; gone < GONE; ) {
    let isAnswered = false;
    const asked = sent("/access/v1/evaluations?explain=true", BATCH);
    asked.on("response", () => {
      isAnswered = true;
    });
    // Who came after it has an answer: it is begun.
    await service.ask(false);
    await service.ask(false);
    asked.destroy();
    if (!isAnswered) gone++;
    await service.longestHold();
  }
  expect(service.program.child.exitCode).toBeNull();
  await service.ask(false);
});
