/** Tokens of invitations: 32 random bytes. Only the mail contains the token in clear text. */

import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A new token, base64url. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** True for a text that could be a token. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The stored form of a token: its SHA-256, base64url. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
