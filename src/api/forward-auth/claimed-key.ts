/**
 * The access key that a refused request names, for the audit log (spec/security §5.2): claimed, not proved. Never a
 * secret: a Basic credential without its colon, or a credential without its scope, names nothing.
 */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** `<key>/<date>/<region>/<service>/<terminator>`; the key may have slashes itself. */
const CREDENTIAL = /^(.+)\/\d{8}\/[^/]+\/[^/]+\/[^/]+$/;
const IN_SIGNATURE = /\bCredential=([^,\s]+)/;
const IN_SIGNATURE_V2 = /^AWS ([^:\s]+):/;
const BASIC = /^basic ([A-Za-z0-9+/=]+)$/i;
/** A name of 1,024 bytes with its scope, all percent-encoded, fits; what is longer is not looked into. */
const MOST_QUERY = 8_192;

/**
 * The id of the first access key in `Authorization` or the query; undefined if there is no possible id.
 * @param query the raw query of the client
 */
export function claimedKeyId(headers: RequestHeaders, query: string): string | undefined {
  const authorization = headers.get("authorization");
  const named = authorization === undefined ? keyInQuery(query) : keyInHeader(authorization);
  return named !== undefined && isPossibleName(named) ? named : undefined;
}

function keyInHeader(authorization: string): string | undefined {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded !== undefined) {
    const text = Buffer.from(encoded, "base64").toString("utf8");
    const colon = text.indexOf(":");
    return colon < 0 ? undefined : text.slice(0, colon);
  }
  if (authorization.startsWith("AWS4")) return keyOf(IN_SIGNATURE.exec(authorization)?.[1]);
  return IN_SIGNATURE_V2.exec(authorization)?.[1];
}

function keyInQuery(query: string): string | undefined {
  if (query.length > MOST_QUERY || !query.includes("=")) return undefined;
  const pairs = new URLSearchParams(query);
  return keyOf(pairs.get("X-Amz-Credential")) ?? pairs.get("AWSAccessKeyId") ?? undefined;
}

function keyOf(credential: string | null | undefined): string | undefined {
  return CREDENTIAL.exec(credential ?? "")?.[1];
}
