/**
 * `npm run bench -- --signIns`: decisions while 500 people sign in with passwords at once, in place of everything else. One
 * password is hashed at a time, in a thread beside the loop, so that all cores are used.
 */

import { signIns } from "../test/end-to-end/hostile-callers.ts";
import { benchDataset, bodiesFor, startAuthorizer, token, urlsOf, write } from "./authorizer.ts";
import { onAllCores, runLoad, type StartedServer } from "./processes.ts";

/** About as long as the whole queue is hashed. */
const SECONDS = 4;
const CONNECTIONS = 32;
const ROUNDS = 5;
/** Part of the rate that decisions may lose. */
export const MOST_LOST = 0.3;

/** Decisions for each second of time, and of processor time of the main thread. */
interface SignInsRow {
  readonly alone: number;
  readonly beside: number;
  /** Part of the rate that was lost. */
  readonly lost: number;
  readonly hashed: number;
  readonly later: number;
}

/** Measures both in turn, and gives the median round. */
export async function measureSignIns(log: (text: string) => void): Promise<SignInsRow> {
  return onAllCores(async () => {
    const server = await startAuthorizer(write("sign-ins.json", JSON.stringify(benchDataset())), {
      more: {
        passwords: { enabled: true },
        trusted_proxies: ["127.0.0.1"],
        forward_auth: { max_failures: "1000000/m" },
      },
    });
    try {
      const rounds: SignInsRow[] = [];
      await decisions(server);
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(server, log));
      return rounds.toSorted((a, b) => a.lost - b.lost)[Math.floor(ROUNDS / 2)] as SignInsRow;
    } finally {
      await server.stop();
    }
  });
}

async function measureRound(server: StartedServer, log: (text: string) => void): Promise<SignInsRow> {
  const alone = await decisions(server);
  const [beside, statuses] = await Promise.all([decisions(server), signIns(urlsOf(server).user, ofAnybody)]);
  const lost = 1 - beside / alone;
  const of = (status: number) => statuses.filter((one) => one === status).length;
  log(`${Math.round(alone)}/s alone, ${Math.round(beside)}/s beside sign-ins`);
  return { alone, beside, lost, hashed: of(401), later: of(503) };
}

async function decisions(server: StartedServer): Promise<number> {
  const { perSecond } = await runLoad({
    url: urlsOf(server).service,
    path: "/access/v1/evaluation",
    token,
    bodies: bodiesFor(1_000).evaluation,
    connections: CONNECTIONS,
    seconds: SECONDS,
    expect: '"decision":true',
  });
  return perSecond;
}

/** From many addresses, so that the whole queue is filled. */
function ofAnybody(index: number): RequestInit {
  return {
    headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.${index % 250}` },
    body: JSON.stringify({
      access_key_id: `nobody-${index}`,
      secret_access_key: "a long password of nobody",
    }),
  };
}
