/** Identity requests of AWS IAM (spec/sign-in §3): the parts of a pre-signed GetCallerIdentity, as a data server's tool sends them. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";

/** A pre-signed GetCallerIdentity, in parts whose form was checked. */
export interface IdentityRequest {
  readonly host: string;
  readonly region: string;
  /** `20060102T150405Z`. */
  readonly date: string;
  /** Unix milliseconds of {@link date}. */
  readonly at: number;
  /** Seconds. */
  readonly expires: number;
  readonly accessKeyId: string;
  readonly signature: string;
  /** "" where the caller's credentials have none. */
  readonly securityToken: string;
}

/** The header that names the server for which a request was signed. */
export const SERVER_ID_HEADER = "x-lakefs-server-id";
/** The headers that must have been signed, and no other. */
export const SIGNED_HEADERS: readonly string[] = ["host", SERVER_ID_HEADER];

const MAX_TOKEN_CHARACTERS = 64 << 10;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Each member with its form; a request has exactly these. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  method: (value) => value === "POST",
  action: (value) => value === "GetCallerIdentity",
  version: (value) => value === "2011-06-15",
  algorithm: (value) => value === "AWS4-HMAC-SHA256",
  host: matches(/^[a-z0-9.-]{1,253}(?::\d{1,5})?$/),
  region: matches(/^[a-z0-9-]{1,32}$/),
  date: matches(DATE),
  expiration_duration: matches(/^[1-9]\d{0,4}$/),
  access_key_id: matches(/^[A-Za-z0-9]{1,128}$/),
  signature: matches(/^[0-9a-f]{64}$/),
  signed_headers: (value) => Array.isArray(value) && String(value) === String(SIGNED_HEADERS),
  security_token: matches(/^[A-Za-z0-9+/=_-]{0,16384}$/),
};

function matches(form: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === "string" && form.test(value);
}

/**
 * Reads `{"identity_token": "<base64 of JSON>"}`.
 * @throws AuthorizerError "invalid_request" with every problem; no value is repeated
 */
export function readIdentityRequest(body: unknown): IdentityRequest {
  const members = isObject(body) ? Object.keys(body) : [];
  const token = isObject(body) ? body["identity_token"] : undefined;
  if (
    members.length !== 1 ||
    typeof token !== "string" ||
    token.length > MAX_TOKEN_CHARACTERS ||
    !BASE64.test(token)
  )
    throw malformed("expected identity_token alone: the base64 of a JSON object");
  const given = parsed(Buffer.from(token, "base64").toString("utf8"));
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(FORMS, name));
  if (unknown.length > 0) throw malformed(`identity_token: ${unknown.length} members are not known here`);
  const wrong = Object.keys(FORMS).filter((name) => FORMS[name]?.(given[name]) !== true);
  if (wrong.length > 0) throw malformed(`identity_token: not as expected: ${wrong.join(", ")}`);
  const text = (name: string): string => String(given[name]);
  const at = Date.parse(text("date").replace(DATE, "$1-$2-$3T$4:$5:$6Z"));
  if (Number.isNaN(at)) throw malformed("identity_token: not as expected: date");
  return {
    host: text("host"),
    region: text("region"),
    date: text("date"),
    at,
    expires: Number(text("expiration_duration")),
    accessKeyId: text("access_key_id"),
    signature: text("signature"),
    securityToken: text("security_token"),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {}
  throw malformed("identity_token: no JSON object");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(message: string): AuthorizerError {
  return new AuthorizerError("invalid_request", message);
}
