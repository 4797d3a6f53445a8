/** Errors of the streaming listener as clients of S3 and of the main API read them (spec/exchange §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { DamagedStream } from "../../exchange/streaming/signed-chunks.ts";
import { type ErrorReply, errorReply, RequestRefused, statusOf } from "../../http/errors.ts";
import type { RawCall } from "../../http/route.ts";
import { splitUri } from "../forward-auth/proxies.ts";
import { s3Body } from "../forward-auth/refusals.ts";

const MAIN = "/api/";
/** Time for which a client may send the rest of a body that is refused, so that it reads the answer. */
const LINGER_MS = 2_000;

const FAULTS = {
  signature: [403, "SignatureDoesNotMatch"],
  malformed: [403, "SignatureDoesNotMatch"],
  checksum: [400, "BadDigest"],
  cut: [400, "IncompleteBody"],
} as const;

/** An error as the client of a request reads it: JSON for the main API, XML for S3. */
export function refusal(error: unknown, call: RawCall): ErrorReply {
  linger(call);
  // A body in chunks is one of S3, also of a bucket that is called "api".
  const isS3 = error instanceof DamagedStream || call.request.url?.startsWith(MAIN) !== true;
  if (!isS3) return errorReply(error);
  const [resource] = splitUri(call.request.url ?? "/");
  const details = { resource, id: call.requestId };
  const xml = (status: number, code: string, message: string, headers: readonly string[] = []) => ({
    ...{ status, type: "application/xml", body: s3Body(code, message, details) },
    headers: [...headers, "Cache-Control", "no-store"],
  });
  if (error instanceof DamagedStream) {
    const [status, code] = FAULTS[error.fault];
    return { ...xml(status, code, error.message), recorded: true };
  }
  const reply = errorReply(error);
  const known = error instanceof AuthorizerError && error.code !== "internal";
  const message = known ? error.message : "internal error";
  if (error instanceof RequestRefused)
    return xml(statusOf(error), codeOf(error.status), message, reply.headers);
  if (reply.status === 503) return xml(503, "ServiceUnavailable", message, reply.headers);
  if (known) return xml(403, "AccessDenied", message);
  return { ...xml(500, "InternalError", message), ...(reply.errorId && { errorId: reply.errorId }) };
}

/** Throws away what is still to come of a body, for a while. */
export function linger(call: Pick<RawCall, "request" | "deadline">): void {
  if (call.request.complete) return;
  call.deadline = Math.min(call.deadline, performance.now() + LINGER_MS);
  call.request.resume();
}

function codeOf(status: number): string {
  if (status === 408) return "RequestTimeout";
  return status >= 500 ? "ServiceUnavailable" : "InvalidRequest";
}
