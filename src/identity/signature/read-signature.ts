/**
 * AWS Signature Version 4 of S3 requests (security.md §2.8): the signed text, from the request as it was on the wire.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html and its neighbours.
 */

import { LRUCache } from "lru-cache";
import type { SignatureFault, SignedRequest } from "../identity.ts";
import { SignatureRefused } from "../refusals.ts";
import { type CredentialParts, credentialParts } from "./credential-parts.ts";
import { payloadHash } from "./payload-hash.ts";
import { canonicalQuery, queryParameters } from "./query-parameters.ts";
import { assertInTime } from "./request-time.ts";
import { canonicalHeaders, signedNames, signsRequiredHeaders } from "./signed-headers.ts";
import { canonicalPath } from "./uri-encoding.ts";

/** A signature with all of its input except the secret. */
export interface Signature {
  readonly accessKeyId: string;
  /** Date of the scope, `YYYYMMDD`. */
  readonly date: string;
  readonly region: string;
  /** `<date>/<region>/s3/aws4_request`. */
  readonly scope: string;
  readonly timestamp: string;
  /** Each character is one byte. */
  readonly canonicalRequest: string;
  /** The signature in the request: 64 hexadecimal digits. */
  readonly given: string;
}

/** Input of the verification of a signature. */
export interface SignatureRules {
  /** `gateways.s3.region`. */
  readonly region: string;
  /** Unix milliseconds. */
  readonly now: number;
}

const METHOD = /^[A-Z]{1,32}$/;
const SERVICE = "s3";
const TERMINATOR = "aws4_request";
const SCOPE_PARTS = 4;
const FORM_OF_CREDENTIAL = "the credential must be KEY/DATE/REGION/s3/aws4_request";
const LONGEST_REMEMBERED = 512;
/** The error code of a faulty part, by its place. */
const MALFORMED = {
  header: "AuthorizationHeaderMalformed",
  presigned: "AuthorizationQueryParametersError",
} as const satisfies Record<CredentialParts["form"], SignatureFault>;

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
  const scope = readScope(parts, region);
  const headers = signedPart(parts, request.headers);
  const payload = payloadHash(parts.form, request.headers, query);
  return {
    ...scope,
    region,
    timestamp: parts.timestamp,
    canonicalRequest: `${request.method}\n${path}\n${canonicalQuery(query)}\n${headers}\n${parts.signedHeaders}\n${payload}`,
    given: parts.signature,
  };
}

/** The content of a credential. */
type Scope = Pick<Signature, "accessKeyId" | "date" | "scope">;

/** A cache of valid credentials with their region, which a program repeats for a day. */
const SCOPES = new LRUCache<string, Scope>({ max: 1_000 });

function readScope({ form, credential, timestamp }: CredentialParts, region: string): Scope {
  const key = `${region} ${credential}`;
  const known = SCOPES.get(key);
  const scope = known ?? scopeOf(form, credential, region);
  if (scope.date !== timestamp.slice(0, 8)) throw new SignatureRefused(MALFORMED[form], FORM_OF_CREDENTIAL);
  if (known === undefined && key.length <= LONGEST_REMEMBERED) SCOPES.set(key, scope);
  return scope;
}

/** Access key id and scope. The id itself may contain slashes. */
function scopeOf(form: CredentialParts["form"], credential: string, region: string): Scope {
  const parts = credential.split("/");
  const [date, ...rest] = parts.splice(-SCOPE_PARTS);
  const accessKeyId = parts.join("/");
  if (accessKeyId === "" || date === undefined)
    throw new SignatureRefused(MALFORMED[form], FORM_OF_CREDENTIAL);
  if (rest[0] !== region || rest[1] !== SERVICE || rest[2] !== TERMINATOR) {
    const message = `the scope of the credential is wrong; expected ${region}/${SERVICE}/${TERMINATOR}`;
    throw new SignatureRefused(MALFORMED[form], message);
  }
  return { accessKeyId, date, scope: `${date}/${region}/${SERVICE}/${TERMINATOR}` };
}

function signedPart({ form, signedHeaders }: CredentialParts, headers: ReadonlyMap<string, string>): string {
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
