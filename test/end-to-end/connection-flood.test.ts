/**
 * No caller ends the service or locks others out by connections (spec/security §5.3): thousands that send and never read, with
 * few files, beside clients who come new.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FLOODS, flood } from "./connection-flood.ts";
import { type HostileService, startHostile } from "./hostile-service.ts";
import { cleanUp } from "./program.ts";

const FILES = 1_024;
const CONNECTIONS = Number(process.env["FLOOD_CONNECTIONS"] ?? 1_000);
/** `limits.answers_bytes` of two listeners, and what 700 connections take besides. */
const MAX_GROWTH_BYTES = 2 * (128 << 20) + (100 << 20);
/** A caller who is locked out waits for a minute and more; on a quiet machine the longest wait is below a second. */
const MAX_WAIT_MS = 10_000;

let service: HostileService;
beforeAll(async () => {
  service = await startHostile({
    items: { "authorizer.ext_authz.listen_address": "127.0.0.1:0" },
    files: FILES,
  });
});
afterAll(cleanUp);

describe.runIf(process.platform === "linux")("connections that nobody uses", () => {
  it.each(FLOODS)("$name: new clients are answered, and the memory is bounded", async (one) => {
    const before = service.resident();
    const { longestMs, tried } = await flood(service, one, CONNECTIONS, () => service.ask(false));
    const growth = service.resident() - before;
    if (process.env["HOSTILE_FIGURES"] !== undefined) {
      console.log(JSON.stringify({ tried, longestMs, growthMiB: growth >> 20 }));
    }
    expect(longestMs).toBeLessThan(MAX_WAIT_MS);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    expect(service.program.child.exitCode).toBeNull();
  });
});
