/**
 * Connections of clients who showed a credential stay open, however many one address has, whatever strangers open beside
 * them, and longer than a request may take (spec/security §5.3).
 */

import { afterAll, beforeAll, expect, it } from "vitest";
import { sized } from "../proofs/size.ts";
import { flood } from "./connection-flood.ts";
import { type HostileService, startHostile } from "./hostile-service.ts";
import { IdleClients } from "./idle-clients.ts";
import { cleanUp } from "./program.ts";

const CLIENTS = sized(300, 1_000);

let service: HostileService;
beforeAll(async () => {
  const items = {
    // One address may have half of these, which the clients exceed, and strangers fill the rest.
    "authorizer.limits.connections": CLIENTS + 100,
    "authorizer.limits.request_timeout": "1s",
    // Connections of trusted peers would not count.
    "authorizer.trusted_proxies": [],
  };
  service = await startHostile({ items });
});
afterAll(cleanUp);

it("idle connections of clients of one address are not touched by limits, deadlines and strangers", async () => {
  const clients = new IdleClients(service, CLIENTS);
  try {
    const first = await clients.open();
    expect(first).toEqual(new Map([["200", CLIENTS]]));
    const opened = await service.metric("svc_authorizer_connections");
    expect(opened).toBeGreaterThanOrEqual(CLIENTS);
    const silence = { name: "silence", listener: "service", text: "" } as const;
    await flood(service, silence, 600, () => service.ask(false));
    expect(await service.metric("svc_authorizer_connections_given_up_total")).toBeGreaterThan(0);
    // More than twice as long as a request may take.
    const idle = performance.now() + 2_500;
    await expect.poll(() => performance.now() > idle, { interval: 100 }).toBe(true);
    expect(await clients.askAll()).toEqual(new Map([["200", CLIENTS]]));
  } finally {
    clients.end();
  }
});
