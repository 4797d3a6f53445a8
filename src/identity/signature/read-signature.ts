/**
 * AWS Signature Version 4 of S3 requests (spec/security §2.8): the signed text, from the request as it was on the wire.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html and its neighbours.
 */

import type { SentHeaders, SignedRequest } from "../identity.ts";
import { SignatureRefused } from "../refusals.ts";
import { type CredentialParts, credentialParts } from "./credential-parts.ts";
import { MALFORMED, type Scope, scopeOf } from "./credential-scope.ts";
import { payloadHash } from "./payload-hash.ts";
import { canonicalQuery, queryParameters } from "./query-parameters.ts";
import { assertInTime } from "./request-time.ts";
import { canonicalHeaders, signedNames, signsRequiredHeaders } from "./signed-headers.ts";
import { canonicalPath } from "./uri-encoding.ts";

/** A signature with all of its input except the secret. */
export interface Signature extends Scope {
  readonly timestamp: string;
  /** Each character is one byte. */
  readonly canonicalRequest: string;
  /** Names joined by `;`. */
  readonly signedHeaders: string;
  /** The signature in the request: 64 hexadecimal digits. */
  readonly given: string;
  /** The session token that the request shows, not yet verified; the signature covers it. */
  readonly sessionToken: string | undefined;
}

/** Input of the verification of a signature. */
interface SignatureRules {
  /** `gateways.s3.region`. */
  readonly region: string;
  /** Unix milliseconds. */
  readonly now: number;
}

const METHOD = /^[A-Z]{1,32}$/;

/**
 * Reads the signature of a request. Refuses errors that do not depend on the secret: form, scope, time, unsigned
 * headers. @throws SignatureRefused
 */
export function readSignature(request: SignedRequest, { region, now }: SignatureRules): Signature {
  const query = queryParameters(request.query);
  const path = canonicalPath(request.path);
  if (query === undefined || path === undefined || !METHOD.test(request.method)) {
    const message = "the request has a method, path or query that has more than one reading";
    throw new SignatureRefused("SignatureDoesNotMatch", message);
  }
  const parts = credentialParts(request, query);
  assertInTime(parts, now);
  const { accessKeyId, date, scope } = scopeOf(parts, region);
  const headers = signedPart(parts, request.headers);
  const payload = payloadHash(parts.form, request.headers, query);
  const { signedHeaders, timestamp, signature: given, sessionToken } = parts;
  const canonicalRequest = `${request.method}\n${path}\n${canonicalQuery(query)}\n${headers}\n${signedHeaders}\n${payload}`;
  return {
    accessKeyId,
    date,
    region,
    scope,
    timestamp,
    canonicalRequest,
    signedHeaders,
    given,
    sessionToken,
  };
}

function signedPart({ form, signedHeaders }: CredentialParts, headers: SentHeaders): string {
  const names = signedNames(signedHeaders);
  if (names === undefined) {
    throw new SignatureRefused(MALFORMED[form], "signed headers must be in lower case, sorted, each once");
  }
  if (!signsRequiredHeaders(names, headers)) {
    throw new SignatureRefused(
      "AccessDenied",
      "the host and all x-amz- headers that are sent must be signed",
    );
  }
  const lines = canonicalHeaders(names, headers);
  if (lines === undefined) {
    throw new SignatureRefused("SignatureDoesNotMatch", "a signed header is not there");
  }
  return lines;
}
