/**
 * Subrequests of nginx to `/forward-auth` with an exchange, side by side with the same service without one. Prints the
 * share of the rate, which is to be at least 0.9 for Signature Version 4, what uploads through the streaming listener take, and
 * what a listing of a million keys takes beside one without a proxy: `node bench/exchange.ts`.
 */
import { randomBytes } from "node:crypto";
import { serviceUrl, startAuthorizer, write } from "./authorizer.ts";
import { compare } from "./compare.ts";
import { basicRequests, jobOf, PROXY_TOKEN, signedRequests, usersWithKeys } from "./forward-auth.ts";
import { measureListing } from "./listing.ts";
import { measureStreaming } from "./streaming.ts";

/** The difference is a few microseconds: it shows in the middle of many short rounds. */
const ROUNDS = 21;
const SECONDS = 0.6;

/** Measures, and prints a line for each figure. */
export async function measureExchange(): Promise<void> {
  const secret = randomBytes(30).toString("base64");
  const data = write("exchange.json", JSON.stringify(usersWithKeys(secret)));
  const shared = [
    ...["--authorizer.forward_auth.proxy", "nginx", "--gateways.s3.region", "us-east-1"],
    ...["--authorizer.forward_auth.proxy_token", PROXY_TOKEN],
  ];
  const key = [
    ...["--authorizer.exchange.access_key_id", "AKIAJTHEONEKEYTHEONQ"],
    ...["--authorizer.exchange.secret_access_key", randomBytes(30).toString("base64")],
  ];
  const without = await startAuthorizer(data, { flags: shared });
  const exchanging = await startAuthorizer(data, { flags: [...shared, ...key] });
  for (const [kind, requests] of Object.entries({
    Basic: basicRequests(secret),
    "Signature Version 4": await signedRequests(secret),
  })) {
    const file = write(`exchange ${kind}.json`, JSON.stringify(requests));
    const contender = (server: typeof without) => ({
      server,
      job: { ...jobOf(serviceUrl(server), file), seconds: SECONDS },
    });
    const both = { bare: contender(without), own: contender(exchanging) };
    const { perSecond, ofBare, cpuOfBare } = await compare(both, ROUNDS);
    const rate = Math.round(perSecond).toLocaleString("en");
    const shares = `${ofBare.toFixed(2)} of the rate without, ${cpuOfBare.toFixed(2)} by CPU time`;
    console.log(`/forward-auth with an exchange, ${kind}: ${rate}/s, ${shares}`);
  }
  await Promise.all([without.stop(), exchanging.stop()]);
  await measureStreaming();
  await measureListing();
}
