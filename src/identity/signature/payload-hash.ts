/**
 * The statement of a signature about the body (spec/security §2.8). It is signed; the body itself is not verified here.
 */

import type { SentHeaders } from "../identity.ts";
import { SignatureRefused } from "../refusals.ts";
import type { CredentialParts } from "./credential-parts.ts";
import { isHexDigest } from "./hex-digest.ts";
import { parameter } from "./query-parameters.ts";

const UNSIGNED = "UNSIGNED-PAYLOAD";
const FORMS: ReadonlySet<string> = new Set([
  UNSIGNED,
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
  "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
]);

/**
 * The last line of a canonical request: a digest of the body, or the name of a form without a digest. A presigned
 * request may omit it.
 */
export function payloadHash(
  form: CredentialParts["form"],
  headers: SentHeaders,
  query: ReadonlyMap<string, string>,
): string {
  const header = headers.get("x-amz-content-sha256");
  const inQuery = form === "presigned" ? parameter(query, "X-Amz-Content-Sha256") : "";
  if (header !== undefined && inQuery !== "" && header !== inQuery) {
    throw new SignatureRefused("AccessDenied", "x-amz-content-sha256 is given twice");
  }
  const given = header ?? (inQuery || (form === "presigned" ? UNSIGNED : ""));
  if (FORMS.has(given) || isHexDigest(given)) return given;
  throw new SignatureRefused("AccessDenied", "x-amz-content-sha256 is missing or of an unsupported form");
}
