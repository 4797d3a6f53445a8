import { describe, expect, it } from "vitest";
import { claimedKeyId } from "../../../src/api/forward-auth/claimed-key.ts";
import { RequestHeaders } from "../../../src/api/forward-auth/request-headers.ts";

const SCOPE = "20260101/us-east-1/s3/aws4_request";
const basic = (text: string | Buffer) => `Basic ${Buffer.from(text).toString("base64")}`;
const signed = (credential: string) =>
  `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=${"0".repeat(64)}`;
const named = (authorization: string | undefined, query = "") =>
  claimedKeyId(
    new RequestHeaders(authorization === undefined ? [] : ["Authorization", authorization]),
    query,
  );

describe("the key that a refused request names (spec/security §5.2)", () => {
  it.each<[string, string | undefined, string, string]>([
    ["Basic", basic("AKIAX:secret"), "", "AKIAX"],
    ["Basic with a colon in the secret", basic("AKIAX:a:b"), "", "AKIAX"],
    ["Basic that Go could not read", basic("AKIAX:secre").replace(/=+$/, ""), "", "AKIAX"],
    ["a signature", signed(`AKIAX/${SCOPE}`), "", "AKIAX"],
    ["a signature of a key with slashes", signed(`AK/IA/${SCOPE}`), "", "AK/IA"],
    ["SigV4A", signed(`AKIAX/${SCOPE}`).replace("HMAC", "ECDSA-P256"), "", "AKIAX"],
    [
      "a signature that is malformed behind the key",
      `AWS4-HMAC-SHA256 Credential=AKIAX/${SCOPE}`,
      "",
      "AKIAX",
    ],
    ["Signature V2", "AWS AKIAX:c2lnbmF0dXJl", "", "AKIAX"],
    ["a presigned query", undefined, `a=b&X-Amz-Credential=AKIAX%2F${SCOPE.replaceAll("/", "%2F")}`, "AKIAX"],
    ["a presigned query with an encoded name", undefined, `X-Amz-Credentia%6c=AKIAX/${SCOPE}`, "AKIAX"],
    ["a presigned query of Signature V2", undefined, "AWSAccessKeyId=AKIAX&Signature=x", "AKIAX"],
    [
      "the header where there are two kinds",
      basic("AKIAX:secret"),
      `X-Amz-Credential=OTHER/${SCOPE}`,
      "AKIAX",
    ],
  ])("of %s", (_what, authorization, query, key) => {
    expect(named(authorization, query)).toBe(key);
  });

  it.each<[string, string | undefined, string]>([
    ["nothing", undefined, ""],
    ["a query without one", undefined, "path=AKIAX"],
    ["Basic without a colon, which may be a secret", basic("secret"), ""],
    ["Basic without a key", basic(":secret"), ""],
    ["Basic that is no base64", "Basic AKIAX:secret", ""],
    ["a key that can be none", basic("a\nb:secret"), ""],
    ["a key that is no UTF-8 up to its colon", basic(Buffer.from([0x61, 0x00, 0x3a])), ""],
    ["a key beyond 1,024 bytes", basic(`${"A".repeat(1_025)}:secret`), ""],
    ["a credential without scope, which may be a secret", signed("AKIAX"), ""],
    ["a credential beyond 1,024 bytes", signed(`${"A".repeat(1_025)}/${SCOPE}`), ""],
    ["a bearer token", "Bearer a.b.c", ""],
    ["an endless query", undefined, `a=${"b".repeat(10_000)}&AWSAccessKeyId=AKIAX`],
  ])("is none of %s", (_what, authorization, query) => {
    expect(named(authorization, query)).toBeUndefined();
  });
});
