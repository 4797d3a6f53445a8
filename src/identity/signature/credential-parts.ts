/** The parts of a signature in a request: in the Authorization header, or in the query of a presigned URL. */

import type { SentHeaders, SignedRequest } from "../identity.ts";
import { SignatureRefused } from "../refusals.ts";
import type { SignatureForm } from "./credential-scope.ts";
import { isHexDigest } from "./hex-digest.ts";
import { PRESIGN_PARAMETERS, parameter } from "./query-parameters.ts";

/** The parts of a signature, as given. */
export interface CredentialParts {
  readonly form: SignatureForm;
  /** Access key id and scope, joined by slashes. */
  readonly credential: string;
  /** Names joined by `;`. */
  readonly signedHeaders: string;
  /** 64 hexadecimal digits in lower case. */
  readonly signature: string;
  /** Date and time in the basic form of ISO 8601, not yet validated. */
  readonly timestamp: string;
  /** Seconds as written; only for presigned requests. */
  readonly expires: string;
  /** The session token that belongs to the key: signed, since the header and the query are. */
  readonly sessionToken: string | undefined;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
/** The header without the digits of the signature itself. */
const HEADER_FORM = /^AWS4-HMAC-SHA256 +Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=$/;
const SIGNATURE_DIGITS = 64;
const PRESIGNS: ReadonlySet<string> = new Set(PRESIGN_PARAMETERS.map((name) => name.toLowerCase()));
const TOKEN_HEADER = "x-amz-security-token";
const TOKEN_PARAMETER = "X-Amz-Security-Token";
const V2_PARAMETERS = ["AWSAccessKeyId", "Signature"] as const;

/**
 * Finds the one signature of a request.
 * @throws SignatureRefused if there is none, more than one, or one of another kind (Signature Version 2, Version 4A)
 */
export function credentialParts(
  { headers }: SignedRequest,
  query: ReadonlyMap<string, string>,
): CredentialParts {
  const header = headers.get("authorization");
  const isPresigned = saysPresigned(query);
  if (V2_PARAMETERS.some((name) => query.has(name))) throw otherKind();
  if (header === undefined) {
    if (isPresigned && !headers.has(TOKEN_HEADER)) return presignedParts(query);
    if (isPresigned) throw twoKinds();
    throw new SignatureRefused("AccessDenied", "the request is not signed");
  }
  if (isPresigned) throw twoKinds();
  return headerParts(header, headers);
}

/**
 * True if the query has parts of a signature. Parts in another letter case are refused, because another program might
 * read them.
 */
function saysPresigned(query: ReadonlyMap<string, string>): boolean {
  let found = false;
  for (const name of query.keys()) {
    if (name.length < 10 || (name.charCodeAt(0) | 0x20) !== 0x78) continue;
    const lower = name.toLowerCase();
    if (!PRESIGNS.has(lower) && lower !== TOKEN_HEADER) continue;
    if (
      !PRESIGN_PARAMETERS.includes(name as (typeof PRESIGN_PARAMETERS)[number]) &&
      name !== TOKEN_PARAMETER
    ) {
      throw new SignatureRefused("AuthorizationQueryParametersError", `${lower} is in another letter case`);
    }
    found = true;
  }
  return found;
}

function headerParts(header: string, headers: SentHeaders): CredentialParts {
  if (!header.startsWith("AWS4-HMAC-SHA256 ")) throw otherKind();
  const signature = header.slice(-SIGNATURE_DIGITS);
  const before = usualHeader(header) ?? HEADER_FORM.exec(header.slice(0, -SIGNATURE_DIGITS)) ?? [];
  const [, credential, signedHeaders] = before;
  if (credential === undefined || signedHeaders === undefined || !isHexDigest(signature)) {
    throw new SignatureRefused("AuthorizationHeaderMalformed", "the Authorization header is malformed");
  }
  const timestamp = headers.get("x-amz-date") ?? headers.get("date") ?? "";
  const sessionToken = headers.get(TOKEN_HEADER);
  return { form: "header", credential, signedHeaders, signature, timestamp, expires: "", sessionToken };
}

const TO_CREDENTIAL = "AWS4-HMAC-SHA256 Credential=";
const TO_NAMES = ", SignedHeaders=";
const TO_SIGNATURE = ", Signature=";
const SEPARATOR = /[,\s]/;

/**
 * The match of {@link HEADER_FORM} for the spelling that programs use; undefined for any other. Takes less time than a
 * look-up of earlier headers, which has to read the whole header too.
 */
function usualHeader(header: string): readonly string[] | undefined {
  const end = header.length - SIGNATURE_DIGITS - TO_SIGNATURE.length;
  const comma = header.indexOf(",");
  const isUsual =
    header.startsWith(TO_CREDENTIAL) &&
    header.startsWith(TO_NAMES, comma) &&
    header.startsWith(TO_SIGNATURE, end);
  if (!isUsual) return undefined;
  const credential = header.slice(TO_CREDENTIAL.length, comma);
  const signedHeaders = header.slice(comma + TO_NAMES.length, end);
  if (credential === "" || signedHeaders === "") return undefined;
  if (SEPARATOR.test(credential) || SEPARATOR.test(signedHeaders)) return undefined;
  return [header, credential, signedHeaders];
}

function presignedParts(query: ReadonlyMap<string, string>): CredentialParts {
  if (parameter(query, "X-Amz-Algorithm") !== ALGORITHM) {
    throw malformed(`X-Amz-Algorithm must be ${ALGORITHM}`);
  }
  const [credential, signedHeaders, signature, timestamp, expires] = [
    "X-Amz-Credential",
    "X-Amz-SignedHeaders",
    "X-Amz-Signature",
    "X-Amz-Date",
    "X-Amz-Expires",
  ].map((name) => parameter(query, name)) as [string, string, string, string, string];
  if (!isHexDigest(signature)) throw malformed("X-Amz-Signature must be 64 hexadecimal digits");
  const sessionToken = query.has(TOKEN_PARAMETER) ? parameter(query, TOKEN_PARAMETER) : undefined;
  return { form: "presigned", credential, signedHeaders, signature, timestamp, expires, sessionToken };
}

function malformed(message: string): SignatureRefused {
  return new SignatureRefused("AuthorizationQueryParametersError", message);
}

function twoKinds(): SignatureRefused {
  return new SignatureRefused("AccessDenied", "the request has more than one kind of credential");
}

function otherKind(): SignatureRefused {
  return new SignatureRefused("AccessDenied", "only AWS4-HMAC-SHA256 signatures are supported");
}
