import { describe, expect, it } from "vitest";
import type { MappedRequest } from "./naive-signer.ts";
import {
  BAD_HEADER,
  BAD_QUERY,
  changed,
  DENIED,
  EMPTY_SHA256,
  header,
  NO_MATCH,
  presigned,
  RIGHT,
  shareVerification,
  TIMESTAMP,
} from "./signature-kit.ts";
import { addKey } from "./test-identities.ts";

const shared = shareVerification();
const { verify } = shared;

describe("a request that was signed wrongly by who knows the secret", () => {
  it.each<[string, string, () => MappedRequest]>([
    ["another region", BAD_HEADER, () => header({ scope: ["20260304", "eu-west-1", "s3", "aws4_request"] })],
    [
      "another region, presigned",
      BAD_QUERY,
      () => presigned({ scope: ["20260304", "eu-west-1", "s3", "aws4_request"] }),
    ],
    [
      "another service",
      BAD_HEADER,
      () => header({ scope: ["20260304", "us-east-1", "sts", "aws4_request"] }),
    ],
    [
      "another terminator",
      BAD_HEADER,
      () => header({ scope: ["20260304", "us-east-1", "s3", "aws5_request"] }),
    ],
    [
      "a scope of another day",
      BAD_HEADER,
      () => header({ scope: ["20260303", "us-east-1", "s3", "aws4_request"] }),
    ],
    [
      "a scope of another day, presigned",
      BAD_QUERY,
      () => presigned({ scope: ["20260303", "us-east-1", "s3", "aws4_request"] }),
    ],
    ["a scope too short", BAD_HEADER, () => header({ scope: ["20260304", "us-east-1", "s3"] })],
    [
      "the host not signed",
      DENIED,
      () => header({ signed: ["content-type", "x-amz-content-sha256", "x-amz-date", "x-amz-meta-a"] }),
    ],
    [
      "the host not signed, presigned",
      DENIED,
      () => presigned({ headers: { host: "h", date: "x" }, signed: ["date"] }),
    ],
    [
      "the time not signed",
      DENIED,
      () => header({ signed: ["content-type", "host", "x-amz-content-sha256", "x-amz-meta-a"] }),
    ],
    [
      "a signed header that is not there",
      NO_MATCH,
      () =>
        header({
          signed: ["content-type", "host", "range", "x-amz-content-sha256", "x-amz-date", "x-amz-meta-a"],
        }),
    ],
    ["Signature Version 4A", DENIED, () => header({ algorithm: "AWS4-ECDSA-P256-SHA256" })],
    ["Signature Version 4A, presigned", BAD_QUERY, () => presigned({ algorithm: "AWS4-ECDSA-P256-SHA256" })],
    ["an algorithm in another case", DENIED, () => header({ algorithm: "aws4-hmac-sha256" })],
    [
      "a body of an unknown form",
      DENIED,
      () => header({ payload: "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD" }),
    ],
    ["no word about the body", DENIED, () => header({ payload: "" })],
    ["a digest in capitals", DENIED, () => header({ payload: EMPTY_SHA256.toUpperCase() })],
    ["a session token", DENIED, () => header({ headers: { host: "h", "x-amz-security-token": "t" } })],
    ["a session token, presigned", DENIED, () => presigned({ query: [["X-Amz-Security-Token", "t"]] })],
    [
      "a session token in another case",
      BAD_QUERY,
      () => presigned({ query: [["x-amz-security-token", "t"]] }),
    ],
    [
      "a session token in the query of a signed header",
      DENIED,
      () => header({ query: [["X-Amz-Security-Token", "t"]] }),
    ],
    [
      "a second signature in the query",
      DENIED,
      () => header({ query: [["X-Amz-Signature", "0".repeat(64)]] }),
    ],
    ["a second credential in the query", DENIED, () => header({ query: [["X-Amz-Credential", "x"]] })],
    ["a second time in the query", DENIED, () => header({ query: [["X-Amz-Date", TIMESTAMP]] })],
    ["a key of Version 2 in the query", DENIED, () => header({ query: [["AWSAccessKeyId", "AK-BOB"]] })],
    [
      "a key of Version 2 beside a presigned one",
      DENIED,
      () => presigned({ query: [["AWSAccessKeyId", "AK-BOB"]] }),
    ],
    ["a presigned part in another case", BAD_QUERY, () => presigned({ query: [["x-amz-date", TIMESTAMP]] })],
    [
      "an authorization beside a presigned one",
      DENIED,
      () => presigned({ headers: { host: "h", authorization: "Basic x" }, signed: ["host"] }),
    ],
    [
      "two digests of the body",
      DENIED,
      () =>
        presigned({
          headers: { host: "h", "x-amz-content-sha256": EMPTY_SHA256 },
          query: [["X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"]],
        }),
    ],
    ["a lone % in the path", NO_MATCH, () => header({ path: "/a%", signedPath: "/a%25" })],
    ["a lone % in the query", NO_MATCH, () => changed(header({ query: [["a", "%"]] }), { query: "a=%" })],
    [
      "what is no byte as if it were nothing",
      NO_MATCH,
      () => header({ path: "/€", signedPath: "/undefined" }),
    ],
    ["a path without slash", NO_MATCH, () => header({ path: "repo" })],
    ["no path", NO_MATCH, () => header({ path: "" })],
    ["a path with what is no byte", NO_MATCH, () => header({ path: "/ü€" })],
    ["a path that goes on in a fragment", NO_MATCH, () => header({ path: "/a#b", signedPath: "/a%23b" })],
    ["a method that is none", NO_MATCH, () => header({ method: "GET\n/other" })],
  ])("%s: %s", async (_name, outcome, make) => {
    expect(await verify(make())).toBe(outcome);
  });

  it.each<[string, string, () => MappedRequest]>([
    ["UNSIGNED-PAYLOAD", RIGHT, () => header({ payload: "UNSIGNED-PAYLOAD" })],
    ["signed chunks", RIGHT, () => header({ payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" })],
    [
      "signed chunks and trailer",
      RIGHT,
      () => header({ payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" }),
    ],
    ["an unsigned trailer", RIGHT, () => header({ payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER" })],
    [
      "a digest of the body, presigned",
      RIGHT,
      () => presigned({ payload: EMPTY_SHA256, query: [["X-Amz-Content-Sha256", EMPTY_SHA256]] }),
    ],
    [
      "a digest in a signed header, presigned",
      RIGHT,
      () =>
        presigned({ payload: EMPTY_SHA256, headers: { host: "h", "x-amz-content-sha256": EMPTY_SHA256 } }),
    ],
    [
      "the time in the header Date alone",
      RIGHT,
      () => {
        const signed = ["date", "host", "x-amz-content-sha256"];
        return changed(
          header({ headers: { host: "h", date: TIMESTAMP }, signed }),
          {},
          { "x-amz-date": undefined },
        );
      },
    ],
    [
      "bytes beyond ASCII in a header",
      RIGHT,
      () => header({ headers: { host: "h", "x-amz-meta-a": "\u00c3\u00a0  b" } }),
    ],
    ["an access key with a slash", RIGHT, () => header({ accessKeyId: "AK/1", secret: "secret of AK/1" })],
    [
      "Signature Version 2",
      DENIED,
      () => changed(header(), {}, { authorization: "AWS AK-ALICE:c2lnbmF0dXJl" }),
    ],
    ["Basic credentials", DENIED, () => changed(header(), {}, { authorization: "Basic QUs6cw==" })],
    ["nothing", DENIED, () => changed(header(), {}, { authorization: undefined })],
  ])("or rightly, with %s: %s", async (_name, outcome, make) => {
    await addKey(shared.opened.directory, "alice", "AK/1").catch(() => {});
    expect(await verify(make())).toBe(outcome);
  });
});
