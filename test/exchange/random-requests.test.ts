/**
 * Random requests through nginx, recorded on both sides: the data server serves with its one key exactly what
 * forward-auth without an exchange allows, less what the rules of the exchange refuse. Some pass through the streaming
 * listener, which decides by itself. Lists, which it filters, are left out. `node bench/random-requests.ts` sends a million.
 */

import { describe, expect, it } from "vitest";
import { missing } from "../gateways/proxy-program.ts";
import { openedOnce } from "../opened.ts";
import { startRandomRounds } from "./random-rounds.ts";

const SEED = 20_260_922;
const REQUESTS = 20_000;
const ROUND = 5_000;

const why = missing("nginx");
describe.skipIf(why !== undefined)(
  `behind nginx, with one key, random requests${why === undefined ? "" : ` (${why})`}`,
  () => {
    const rounds = openedOnce(() => startRandomRounds());

    it("what the data server serves with its key is exactly what is allowed", {
      timeout: 1_800_000,
    }, async () => {
      for (let from = 0; from < REQUESTS; from += ROUND) {
        const { differing, strange, arrived } = await rounds.round(SEED, from, ROUND);
        expect(differing.slice(0, 5)).toEqual([]);
        expect(strange.slice(0, 5)).toEqual([]);
        expect(arrived).toBeGreaterThan(ROUND / 10);
      }
    });
  },
);
