/** The items that an exchange needs besides its own (spec/exchange §2). */

import type { ConfigName, ConfigValues } from "./table.ts";
import { SHORTEST_TOKEN } from "./values/parse-tokens.ts";

type Tell = (name: ConfigName, message: string) => void;

const ID = "authorizer.exchange.access_key_id";
const SECRET = "authorizer.exchange.secret_access_key";
const FILE = "authorizer.exchange.secret_access_key_file";
const STREAMING = "authorizer.exchange.streaming_address";
const UPSTREAM = "authorizer.exchange.upstream";
const TOKEN = "authorizer.forward_auth.proxy_token";
/** An id that stands in a signature and in Basic credentials without another reading. */
const KEY_ID = /^[\w.-]{3,128}$/;

/** True where any item names a key or its secret. */
function hasExchange(values: ConfigValues): boolean {
  return [ID, SECRET, FILE].some((name) => values[name as ConfigName] !== undefined);
}

/** Tells what is missing between the key, the proxy and the S3 gateway. */
export function exchangeProblems(values: ConfigValues, problem: Tell, warning: Tell): void {
  pairStreaming(values, problem);
  if (!hasExchange(values)) return;
  pairKey(values, problem);
  const token = values[TOKEN];
  if (token === undefined || token === "") {
    problem(
      TOKEN,
      `required: answers carry the data server's key (${ID}), and a peer's address proves nothing`,
    );
  } else if (token.length < SHORTEST_TOKEN) {
    problem(TOKEN, `expected at least ${SHORTEST_TOKEN} characters: it guards the data server's key`);
  }
  const proxy = values["authorizer.forward_auth.proxy"];
  if (values["authorizer.exchange.presigned"] === "rewrite" && proxy !== "nginx") {
    problem("authorizer.exchange.presigned", "rewrite is for nginx: another proxy cannot change the target");
  }
  if (values["gateways.s3.domain_name"].length === 0) {
    warning("gateways.s3.domain_name", "names no host: S3 requests are known by their signatures alone");
  }
}

function pairStreaming(values: ConfigValues, problem: Tell): void {
  const [address, upstream] = [values[STREAMING], values[UPSTREAM]];
  if (address !== undefined && upstream === undefined) {
    problem(UPSTREAM, `required: ${STREAMING} is given, and sends requests on to the data server`);
  }
  if (upstream !== undefined && address === undefined) problem(STREAMING, `required: ${UPSTREAM} is given`);
  if (address !== undefined && !hasExchange(values)) {
    problem(ID, `required: ${STREAMING} is given, and the data server takes nothing without a key`);
  }
}

function pairKey(values: ConfigValues, problem: Tell): void {
  const id = values[ID];
  if (id === undefined) problem(ID, "required: its secret is given");
  else if (!KEY_ID.test(id)) problem(ID, "expected 3 to 128 letters, digits, _, . and -");
  const given = values[SECRET] !== undefined;
  if (given && values[FILE] !== undefined) problem(FILE, `is given, and ${SECRET} too; remove one`);
  if (!given && values[FILE] === undefined)
    problem(SECRET, `required: the access key id is given (or ${FILE})`);
  if (values[SECRET] === "") problem(SECRET, "is empty");
}
