/**
 * A million random requests to a data server with one key, through nginx as deploy/exchange configures it: what reaches it
 * is exactly what forward-auth allows. `node bench/random-requests.ts [requests] [seed] [first]`; a case "seed:number" that
 * differs is sent again alone by `node bench/random-requests.ts 1 seed number`. Ends with 1 where anything differs.
 */
import { randomInt } from "node:crypto";
import { startRandomRounds } from "../test/exchange/random-rounds.ts";

const ROUND = 10_000;
const [count = 1_000_000, seed = randomInt(2 ** 31), first = 0] = process.argv.slice(2).map(Number);
const whole = (value: number): string => value.toLocaleString("en");

console.log(`${whole(count)} requests of the seed ${seed}, from number ${first} on`);
const rounds = await startRandomRounds();
const began = Date.now();
let arrived = 0;
let differing = 0;
let again = 0;
for (let from = first; from < first + count; from += ROUND) {
  const round = await rounds.round(seed, from, Math.min(ROUND, first + count - from));
  for (const one of round.differing) console.log("differs:", JSON.stringify(one));
  for (const text of round.strange) console.log("strange:", text);
  arrived += round.arrived;
  again += round.again;
  differing += round.differing.length + round.strange.length;
  const sent = Math.min(from + ROUND, first + count) - first;
  const perSecond = whole(Math.round((1_000 * sent) / (Date.now() - began)));
  const counts = `${whole(arrived)} arrived, ${whole(again)} sent again without a decision, ${whole(differing)} differ`;
  console.log(`${whole(sent)} sent, ${counts}; ${perSecond}/s`);
}
await rounds.close();
if (differing > 0) process.exitCode = 1;
