/** Gets a login token through a browser (RFC 8628). */

import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { attempt } from "@svc-authorizer/commands/rest-client/attempt.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { isObject } from "../api/pages.ts";

const CLIENT = "svcctl";
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const MOST_SECONDS = 3_600;

/** The steps of the person. */
interface DevicePrompt {
  readonly code: string;
  readonly address: string;
  /** Seconds in which. */
  readonly seconds: number;
}

/** A token. */
interface GrantedToken {
  readonly token: string;
  /** Seconds for which it holds. */
  readonly seconds: number;
}

type Answer = Readonly<Record<string, unknown>>;

/**
 * Asks for a code, shows it, and waits until the person has confirmed it.
 * @param origin of the server
 * @throws Error where the person refuses, or the time is over
 */
export async function deviceGrant(
  origin: string,
  prompt: (shown: DevicePrompt) => void,
  { signal, userAgent }: { readonly signal: AbortSignal; readonly userAgent: string },
): Promise<GrantedToken> {
  const post = (path: string, form: Record<string, string>) => send(`${origin}${path}`, form, userAgent);
  const name = hostname()
    .replace(/[^\w.-]/g, "")
    .slice(0, 100);
  const { status, json } = await post("/oauth2/device_authorization", { client_id: CLIENT, host_name: name });
  const { device_code: deviceCode, user_code: code, verification_uri: uri } = json;
  if (status === 404) throw new Error(`${origin} signs nobody in through a browser: use an access key`);
  if (status !== 200 || typeof deviceCode !== "string" || typeof code !== "string")
    throw new Error(faultOf(status, json));
  const seconds = Math.min(numberOf(json["expires_in"], 600), MOST_SECONDS);
  prompt({ code, address: addressOf(uri, origin), seconds });
  let interval = numberOf(json["interval"], 5);
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    await wait(interval * 1_000, undefined, { signal });
    const answer = await post("/oauth2/token", {
      grant_type: GRANT,
      client_id: CLIENT,
      device_code: deviceCode,
    });
    const { access_token: token, error } = answer.json;
    if (answer.status === 200 && typeof token === "string" && /^[\w.-]+$/.test(token))
      return { token, seconds: numberOf(answer.json["expires_in"], 0) };
    if (error === "slow_down") interval += 5;
    else if (error !== "authorization_pending" && answer.status < 500)
      throw new Error(faultOf(answer.status, answer.json));
  }
  throw new Error("nobody confirmed the code in time");
}

/** A server behind no known origin names the path alone. */
function addressOf(uri: unknown, origin: string): string {
  const url = URL.parse(typeof uri === "string" ? uri : "/device", origin);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : `${origin}/device`;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" && value >= 1 ? value : otherwise;
}

function faultOf(status: number, { error_description: text, message }: Answer): string {
  const said = [text, message].find((one) => typeof one === "string");
  return `[${status}] ${safeText(String(said ?? "the server did not begin a sign-in"))}`;
}

async function send(
  url: string,
  form: Record<string, string>,
  userAgent: string,
): Promise<{ readonly status: number; readonly json: Answer }> {
  const { status, json } = await attempt({
    method: "POST",
    url,
    headers: {
      accept: "application/json",
      "user-agent": userAgent,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(form).toString(),
    redirect: "error",
  });
  return { status, json: isObject(json) ? json : {} };
}
