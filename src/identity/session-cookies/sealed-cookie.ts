/**
 * The wrapping of a data server's session cookies (spec/sign-in §5): a time, the session, and an HMAC-SHA256 over the name of the
 * cookie and both. Nothing is encrypted.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { readSession, type SessionValue, writeSession } from "./gob.ts";

/** The cookies that hold sessions, with what each holds. */
export const SESSION_COOKIES = {
  internal_auth_session: "token",
  oidc_auth_session: "id_token_claims",
  saml_auth_session: "saml_token_claims",
} as const;

/** Name of a session cookie. */
export type SessionCookieName = keyof typeof SESSION_COOKIES;

/** A session whose seal is sound, and when it was made. */
export interface OpenedSession {
  readonly value: SessionValue;
  /** Unix seconds. */
  readonly issuedAt: number;
}

/** Longest value that a data server makes and takes. */
const MOST_CHARACTERS = 4_096;
const MAC_BYTES = 32;
const BASE64URL = /^(?:[\w-]{4})+(?:[\w-]{2}==|[\w-]{3}=)?$/;
const CONTENT = /^([1-9]\d{0,11})\|([\w=-]+)\|$/;

/**
 * The value of a session cookie.
 * @param issuedAt Unix seconds
 * @returns undefined for a session that is too long for a cookie
 */
export function sealSession(
  name: SessionCookieName,
  value: SessionValue,
  { key, issuedAt }: { readonly key: Uint8Array; readonly issuedAt: number },
): string | undefined {
  const content = `${issuedAt}|${padded(writeSession(value))}|`;
  const sealed = padded(Buffer.concat([Buffer.from(content), macOf(name, content, key)]));
  return sealed.length > MOST_CHARACTERS ? undefined : sealed;
}

/**
 * Opens the value of a session cookie with one of the keys. Undefined for a value that none of them sealed for this name,
 * and for one that does not hold what such a cookie holds.
 */
export function openSession(
  name: SessionCookieName,
  text: string,
  keys: readonly Uint8Array[],
): OpenedSession | undefined {
  if (text.length > MOST_CHARACTERS || !isCanonical(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length <= MAC_BYTES) return undefined;
  const content = bytes.subarray(0, -MAC_BYTES).toString("latin1");
  const mac = bytes.subarray(-MAC_BYTES);
  if (!keys.some((key) => timingSafeEqual(macOf(name, content, key), mac))) return undefined;
  const [, seconds = "", encoded = ""] = CONTENT.exec(content) ?? [];
  if (!isCanonical(encoded)) return undefined;
  const value = readSession(Buffer.from(encoded, "base64url"));
  if (value === undefined || value.key !== SESSION_COOKIES[name]) return undefined;
  return { value, issuedAt: Number(seconds) };
}

/** The seal covers the name, too: a cookie is worth nothing under another one. */
function macOf(name: string, content: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key)
    .update(`${name}|${content.slice(0, -1)}`, "latin1")
    .digest();
}

function padded(bytes: Buffer): string {
  const text = bytes.toString("base64url");
  return text + "=".repeat((4 - (text.length % 4)) % 4);
}

/** Base64 has bits that say nothing: a text counts only in the form in which it is written. */
function isCanonical(text: string): boolean {
  return BASE64URL.test(text) && padded(Buffer.from(text, "base64url")) === text;
}
