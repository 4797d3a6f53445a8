/** Asks AWS's security token service who signed a request, by sending it there as it was signed. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { boundedBody } from "../../bounded-body.ts";
import { type IdentityRequest, SERVER_ID_HEADER, SIGNED_HEADERS } from "./identity-request.ts";

/** Longest time of a call, answer included. */
const TIMEOUT_MS = 5_000;
/** Largest answer. */
const MAX_BYTES = 64 << 10;
const ARN = /^arn:aws[a-z-]{0,16}:(?:sts|iam)::\d{12}:[\w+=,.@/-]{1,1024}$/;

/** The parameters of the query in the order of their names, as they were signed. */
function queryOf(request: IdentityRequest): string {
  const day = request.date.slice(0, 8);
  const parameters: readonly (readonly [string, string])[] = [
    ["Action", "GetCallerIdentity"],
    ["Version", "2011-06-15"],
    ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
    ["X-Amz-Credential", `${request.accessKeyId}/${day}/${request.region}/sts/aws4_request`],
    ["X-Amz-Date", request.date],
    ["X-Amz-Expires", String(request.expires)],
    ...(request.securityToken === "" ? [] : [["X-Amz-Security-Token", request.securityToken] as const]),
    ["X-Amz-SignedHeaders", SIGNED_HEADERS.join(";")],
    ["X-Amz-Signature", request.signature],
  ];
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/**
 * The ARN of who signed a request.
 * @param address of the service, with a slash at its end
 * @param serverId what the request must have been signed for: sent in place of whatever the caller had there
 * @throws AuthorizerError "unauthenticated" where the service refuses the request, "unavailable" where it does not answer
 */
export async function askSts(request: IdentityRequest, address: string, serverId: string): Promise<string> {
  const answer = await fetched(`${address}?${queryOf(request)}`, serverId);
  if (answer.status >= 400 && answer.status < 500)
    throw new AuthorizerError("unauthenticated", "the signature is not valid, or has expired");
  if (answer.status !== 200) throw away(`answers ${answer.status}`);
  const arn = await arnIn(answer.text);
  if (arn === undefined) throw away("answers without an ARN");
  return arn;
}

async function fetched(
  url: string,
  serverId: string,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { [SERVER_ID_HEADER]: serverId, accept: "application/xml" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: String(await boundedBody(response.body, MAX_BYTES)) };
  } catch (cause) {
    // Neither the address nor the cause is shown: the address has the signature.
    throw away("does not answer", cause);
  }
}

/** The ARN of an answer; entities are not read. */
async function arnIn(xml: string): Promise<string | undefined> {
  if (xml.includes("<!")) return undefined;
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({ processEntities: false, parseTagValue: false, ignoreAttributes: true });
  try {
    const arn: unknown = parser.parse(xml)?.GetCallerIdentityResponse?.GetCallerIdentityResult?.Arn;
    return typeof arn === "string" && ARN.test(arn) ? arn : undefined;
  } catch {
    return undefined;
  }
}

function away(how: string, cause?: unknown): AuthorizerError {
  const message = `AWS's security token service ${how}`;
  return new AuthorizerError("unavailable", message, { cause, retryAfterSeconds: 5 });
}
