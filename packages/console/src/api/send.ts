/**
 * Requests to the service. Each asks for the highest revision at least that an earlier answer named, so that behind a
 * balancer a page shows what its user has just written (spec/journal §6.3).
 */

import {
  FORGET_AT,
  minimumHeaders,
  newerRevision,
  parseRevision,
  type Revision,
} from "@svc-authorizer/policy/revision.ts";
import { ApiError } from "./api-error.ts";

const WENT_BACK =
  "The directory went back to an earlier state, so nothing was changed. Load the page again to see what is there now.";

let known: Revision | undefined;

/**
 * Sends a request to the origin of the page.
 * @param address path and query
 * @throws ApiError where the service cannot be reached; the signal's reason where it was aborted
 */
export async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await request(address, init, known);
  const lost = known === undefined ? undefined : await lostBy(response);
  if (lost === undefined) return taken(response);
  // The service has another database now, or an earlier state: what was named says nothing about it.
  known = undefined;
  // Whoever writes has seen a state that is no more.
  if (lost === "went_back" && (init.method ?? "GET") !== "GET") throw new ApiError(409, WENT_BACK);
  return taken(await request(address, init));
}

async function request(address: string, init: RequestInit, minimum?: Revision): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(minimumHeaders(minimum))) headers.set(name, value);
  try {
    return await fetch(address, { ...init, headers, credentials: "same-origin", cache: "no-store" });
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    throw new ApiError(0, "The service cannot be reached. Check the connection, then try again.", [], cause);
  }
}

function taken(response: Response): Response {
  const { headers } = response;
  const seen = parseRevision(headers.get("X-Svc-Revision"), headers.get("X-Svc-Position"));
  if (seen !== undefined) known = newerRevision(known, seen);
  return response;
}

/** The code of a refusal that says that what was named is not in the log. */
async function lostBy(response: Response): Promise<unknown> {
  if (response.status !== 409) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
  return FORGET_AT.has(code) ? code : undefined;
}
