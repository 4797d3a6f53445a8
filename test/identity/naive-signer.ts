/**
 * Signs requests as Amazon's documentation describes Signature Version 4, step by step and with nothing checked: every
 * part can be given another value, so that tests make signatures that are right for a wrong request.
 */

import { createHash, createHmac } from "node:crypto";
import type { SignedRequest } from "../../src/identity/identity.ts";

/** A signed request whose headers can be copied and changed. */
export interface MappedRequest extends SignedRequest {
  readonly headers: ReadonlyMap<string, string>;
}

/** A request to sign. Names of headers in lower case. */
export interface ToSign {
  readonly form: "header" | "presigned";
  readonly method: string;
  /** As on the wire. */
  readonly path: string;
  /** Names and values in clear. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly accessKeyId: string;
  readonly secret: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly timestamp: string;
  readonly expires: string;
  readonly payload: string;
  readonly algorithm: string;
  /** Date, region, service, terminator. */
  readonly scope: readonly string[];
  /** Names of the signed headers; all where undefined. */
  readonly signed?: readonly string[];
  /** The path that is signed, where it is another than the one sent. */
  readonly signedPath?: string;
}

const encode = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The request with its signature. */
export function sign(what: ToSign): MappedRequest {
  const { form, method, path, accessKeyId, timestamp, scope, algorithm } = what;
  const credential = [accessKeyId, ...scope].join("/");
  const headers: Record<string, string> = { ...what.headers };
  if (form === "header") {
    headers["x-amz-date"] ??= timestamp;
    headers["x-amz-content-sha256"] ??= what.payload;
  }
  const signed = what.signed ?? Object.keys(headers).sort();
  const query = [...what.query];
  if (form === "presigned") {
    query.push(
      ["X-Amz-Algorithm", algorithm],
      ["X-Amz-Credential", credential],
      ["X-Amz-Date", timestamp],
      ["X-Amz-Expires", what.expires],
      ["X-Amz-SignedHeaders", signed.join(";")],
    );
  }
  const pairs = query.map(([name, value]) => [encode(name), encode(value)] as const);
  const encoded = pairs.map((pair) => pair.join("="));
  const canonical = [
    method,
    what.signedPath ?? path,
    pairs
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map((pair) => pair.join("="))
      .join("&"),
    ...signed.map(
      (name) => `${name}:${(headers[name] ?? "").replace(/^[ \t]+|[ \t]+$/g, "").replace(/[ \t]+/g, " ")}`,
    ),
    "",
    signed.join(";"),
    what.payload,
  ].join("\n");
  const digest = createHash("sha256").update(canonical, "latin1").digest("hex");
  const text = [algorithm, timestamp, scope.join("/"), digest].join("\n");
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${what.secret}`);
  const signature = hmac(key, text).toString("hex");
  if (form === "presigned") encoded.push(`X-Amz-Signature=${signature}`);
  else {
    headers["authorization"] =
      `${algorithm} Credential=${credential}, SignedHeaders=${signed.join(";")}, Signature=${signature}`;
  }
  return { method, path, query: encoded.join("&"), headers: new Map(Object.entries(headers)) };
}
