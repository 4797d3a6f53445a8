/** An answer that alone is more than a listener keeps of all answers (spec/security §5.3). */

import { afterEach, expect, it } from "vitest";
import type { ManagedServer } from "../../src/http/server/server-lifecycle.ts";
import { bareRoutes } from "./bare-server.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";

const MOST = 1 << 20;

let managed: ManagedServer;
afterEach(() => managed.close());

async function ask(method: "GET" | "POST", answer: string | { status: number; body: string }) {
  const route = { method, path: "/long", priority: "bulk" as const, handle: () => answer };
  managed = bareRoutes([route], { limits: { ...DEFAULT_LIMITS, answersBytes: MOST } });
  const url = await managed.listen({ host: "127.0.0.1", port: 0 });
  const response = await fetch(`${url}/long`, { method });
  return { status: response.status, text: await response.text() };
}

const text = (length: number) => JSON.stringify("x".repeat(length - 2));

it.each(["text", "reply"] as const)("is refused in words, not by a reset: a %s", async (kind) => {
  const of = (length: number) => (kind === "text" ? text(length) : { status: 200, body: text(length) });
  const { status, text: refusal } = await ask("GET", of(MOST + 1));
  expect([status, refusal]).toEqual([
    400,
    expect.stringContaining("the answer has 1048577 bytes, more than this listener keeps"),
  ]);
  expect(refusal).toContain("ask for less");
  await managed.close();
  expect((await ask("GET", of(MOST))).text).toHaveLength(MOST);
});

it("to a request that writes something says that it is written", async () => {
  const { status, text: refusal } = await ask("POST", { status: 200, body: text(MOST + 1) });
  expect([status, refusal]).toEqual([503, expect.stringContaining("what was to be written is written")]);
});
