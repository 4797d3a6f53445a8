/**
 * Odd frames and spellings (fixtures/exchange/attacks.yaml) through each proxy as deploy/exchange configures it: whatever
 * the proxy makes of them, nothing reaches the repository of others with the one key.
 */

import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { missing, PROGRAM_NAMES } from "../gateways/proxy-program.ts";
import { rawRequest } from "./raw-request.ts";
import { basicOf } from "./start-exchange.ts";
import { type Sides, startSides } from "./start-sides.ts";

const CASES = parse(
  readFileSync(new URL("../../fixtures/exchange/attacks.yaml", import.meta.url), "utf8"),
) as {
  readonly main_targets: readonly string[];
  readonly heads: readonly (readonly string[])[];
};
const SECOND = "GET /api/v1/repositories/other/branches HTTP/1.1\r\nHost: x\r\n\r\n";
const BODIES = [SECOND, `0\r\n\r\n${SECOND}`, `0;x=y\r\n${SECOND}`, `3\r\nabc\r\n0\r\n\r\n${SECOND}`];

/** The path as the most forgiving reader takes it. */
function mostForgiving(target: string): string {
  let path = target.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/, "");
  for (let times = 0; times < 3; times++) {
    path = path.replace(/%([0-9a-f]{2})/gi, (_all, digits) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
  return posix.normalize(path.replaceAll("\\", "/").replace(/;[^/]*/g, "")).toLowerCase();
}

for (const name of PROGRAM_NAMES) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `behind ${name}, with one key, odd frames${why === undefined ? "" : ` (${why})`}`,
    () => {
      let sides: Sides;
      beforeAll(async () => {
        sides = await startSides(name, "http");
      });
      afterAll(() => sides?.close());
      beforeEach(() => {
        sides.dataServer.arrived.length = 0;
      });

      /** Everything that was served with the key, as nobody but its owner may have it. */
      function expectOwn(): void {
        for (const { target, headers } of sides.dataServer.served) {
          expect(headers["x-svc-user"]).toBe("writer");
          expect(mostForgiving(target)).not.toMatch(/^\/*(?:api\/v1\/repositories\/)?other(?:\/|$)/);
        }
      }

      it.each(CASES.heads)("of %s: %s %s %s %s %s", async (...head) => {
        const lines = head.map((line) => line.replace("AUTH", basicOf("writer")));
        // A proxy may wait for the rest of a body for seconds.
        await Promise.all(BODIES.map((body) => rawRequest(sides.proxyPort, lines, body)));
        expectOwn();
      });

      it.each(CASES.main_targets)("%s reaches nothing of others", async (target) => {
        const head = ["Host: data.example.com", `Authorization: ${basicOf("writer")}`];
        await rawRequest(sides.proxyPort, [`GET ${target} HTTP/1.1`, ...head]);
        expectOwn();
      });
    },
  );
}
