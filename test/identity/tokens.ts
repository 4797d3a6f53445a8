/** Tokens of every kind, made by hand. */

import { createHmac } from "node:crypto";
import { SECRET_KEY } from "../directory/open-test-directory.ts";

/** The claims of a token; undefined leaves a claim out. */
export interface TokenForm {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key?: string;
  /** Digest of the HMAC, or none at all. */
  readonly digest?: "sha256" | "sha384" | "sha512" | "none";
}

/** A signed token of any form. */
export function makeToken({ header = {}, claims, key = SECRET_KEY, digest = "sha256" }: TokenForm): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT", ...header })}.${part(claims)}`;
  const signature = digest === "none" ? "" : createHmac(digest, key).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}

/** Claims of a login token as a data server issues it for itself. */
export function serverClaims(username: string, nowMs: number): Record<string, unknown> {
  const iat = Math.floor(nowMs / 1_000);
  return { iss: "auth", jti: `id-${username}`, aud: "login", sub: username, iat, exp: iat + 3_600 };
}

/** Claims of a token that a data server signs for the service listener. */
export function serviceClaims(nowMs: number): Record<string, unknown> {
  const iat = Math.floor(nowMs / 1_000);
  return { aud: "auth-client", sub: "data-server", iat, exp: iat + 3_600 };
}
