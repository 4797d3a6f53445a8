import { describe, expect, it } from "vitest";
import { shownCredential } from "../../../src/api/forward-auth/credentials.ts";
import { RequestHeaders } from "../../../src/api/forward-auth/request-headers.ts";

const basic = (text: string | Buffer) => `Basic ${Buffer.from(text).toString("base64")}`;
const COUNTING = new Set(["internal_auth_session"] as const);
const shown = (headers: readonly string[], query = "") =>
  shownCredential(new RequestHeaders(headers), query, COUNTING);
const session = (value: string) => ({ name: "internal_auth_session", value });
const SIGNED =
  "AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00";

describe("one credential is read", () => {
  it.each<[string, readonly string[], string, object]>([
    ["none", [], "", { kind: "nothing" }],
    [
      "an access key",
      ["Authorization", basic("AKIAX:se:cret")],
      "",
      { kind: "access_key", accessKeyId: "AKIAX", secret: "se:cret" },
    ],
    [
      "the scheme in any case",
      ["authorization", basic("a:b").replace("Basic", "bAsIc")],
      "",
      { kind: "access_key", accessKeyId: "a", secret: "b" },
    ],
    [
      "a bearer token",
      ["Authorization", "Bearer a.b.c"],
      "",
      { kind: "login_token", token: "a.b.c", inCookie: false },
    ],
    [
      "a login cookie",
      ["Cookie", "x=1; access_token=a.b.c"],
      "",
      { kind: "login_token", token: "a.b.c", inCookie: true },
    ],
    [
      "other cookies",
      ["Cookie", "not_internal_auth_session=abc; not_access_token=1"],
      "",
      { kind: "nothing" },
    ],
    ["a session that does not count", ["Cookie", "oidc_auth_session=abc"], "", { kind: "nothing" }],
    [
      "a session that counts",
      ["Cookie", "a=b; internal_auth_session=abc=="],
      "",
      { kind: "sessions", sessions: [session("abc==")], isClear: true },
    ],
    [
      "a session beside a login cookie",
      ["Cookie", "internal_auth_session=abc; access_token=a.b.c"],
      "",
      { kind: "sessions", sessions: [session("abc")], isClear: true, token: "a.b.c" },
    ],
    ...[
      "internal_auth_session=abc; internal_auth_session=abc",
      "internal_auth_session=abc; oidc_auth_session=d",
      "internal_auth_session=abc; a=b, internal_auth_session=d",
    ].map((cookie): [string, readonly string[], string, object] => [
      `no clear session in ${cookie}`,
      ["Cookie", cookie],
      "",
      expect.objectContaining({ kind: "sessions", isClear: false }),
    ]),
    [
      "a login cookie in a second header",
      ["Cookie", "x=1", "cookie", "access_token=a.b.c"],
      "",
      { kind: "login_token", token: "a.b.c", inCookie: true },
    ],
    ["a signature", ["Authorization", SIGNED], "", { kind: "signature" }],
    ["a presigned query", [], "a=b&X-Amz-Signature=00", { kind: "signature" }],
    ["a presigned query with an encoded name", [], "X-Amz-Credentia%6c=00", { kind: "signature" }],
    ["a query of Signature V2", [], "AWSAccessKeyId=00", { kind: "signature" }],
    ["an innocent query", [], "prefix=X-Amz-Signature&aws=%20", { kind: "nothing" }],
  ])("%s", (_what, headers, query, expected) => {
    expect(shown(headers, query)).toEqual(expected);
  });
});

describe("refused is (spec/security §2.6)", () => {
  it.each<[string, readonly string[], string]>([
    ["a key and a cookie", ["Authorization", basic("a:b"), "Cookie", "access_token=t"], ""],
    ["a token and a presigned query", ["Authorization", "Bearer t"], "X-Amz-Signature=1"],
    ["a signature twice", ["Authorization", SIGNED], "X-Amz-Credential=1"],
    ["a cookie and a presigned query", ["Cookie", "access_token=t"], "X-Amz-Signature=1"],
    ["two Authorization headers", ["Authorization", basic("a:b"), "authorization", basic("a:b")], ""],
    ["Signature V2", ["Authorization", "AWS AKIA:sig"], ""],
    ["SigV4A", ["Authorization", "AWS4-ECDSA-P256-SHA256 Credential=x"], ""],
    ["an unknown scheme", ["Authorization", "Digest a=b"], ""],
    ["an empty Authorization", ["Authorization", ""], ""],
    ["a bearer without token", ["Authorization", "Bearer "], ""],
    ["a bearer of two words", ["Authorization", "Bearer a b"], ""],
    ["Basic without colon", ["Authorization", basic("abc")], ""],
    ["Basic without key", ["Authorization", basic(":abc")], ""],
    ["Basic that is no base64", ["Authorization", "Basic a:b"], ""],
    // The data server could not read these, would pass over them and look for another credential.
    ["Basic without padding", ["Authorization", "Basic YWI6Yw"], ""],
    ["Basic with too much padding", ["Authorization", "Basic YTpi="], ""],
    ["Basic behind two blanks", ["Authorization", "Basic  YTpi"], ""],
    ["Basic in the alphabet of URLs", ["Authorization", "Basic Pz86Pj4-"], ""],
    ["Basic behind a tab", ["Authorization", "Basic\tYTpi"], ""],
    [
      "a key and a session of the data server",
      ["Authorization", basic("a:b"), "Cookie", "internal_auth_session=x"],
      "",
    ],
    ["two login cookies", ["Cookie", "access_token=t; a=b; access_token=t"], ""],
    ["a token and such a session", ["Cookie", "access_token=t; oidc_auth_session=x"], ""],
    [
      "a presigned query and such a session",
      ["Cookie", "a=b", "Cookie", "saml_auth_session = x"],
      "X-Amz-Signature=1",
    ],
    ["Basic that is no UTF-8", ["Authorization", basic(Buffer.from([0xff, 0x3a, 0x61]))], ""],
  ])("%s", (_what, headers, query) => {
    expect(() => shown(headers, query)).toThrow(expect.objectContaining({ code: "unauthenticated" }));
  });

  it.each(["Basic YTpi", "Bearer a.b.c", SIGNED])("%s in two headers, for that reason", (authorization) => {
    const headers = ["Authorization", authorization, "authorization", authorization];
    expect(() => shown(headers)).toThrow("more than one Authorization header");
  });
});
