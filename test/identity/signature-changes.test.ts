import { describe, expect, it } from "vitest";
import type { MappedRequest } from "./naive-signer.ts";
import {
  BAD_HEADER,
  BAD_QUERY,
  changed,
  DENIED,
  edit,
  header,
  NO_KEY,
  NO_MATCH,
  presigned,
  RIGHT,
  shareVerification,
} from "./signature-kit.ts";

const shared = shareVerification();
const { verify } = shared;

describe("a signed request, changed on its way", () => {
  const asHeader = (edited: (authorization: string) => string) => (): MappedRequest => {
    const request = header();
    return changed(request, {}, { authorization: edited(request.headers.get("authorization")!) });
  };
  const asQuery = (edited: (query: string) => string) => (): MappedRequest => {
    const request = presigned();
    return changed(request, { query: edited(request.query) });
  };

  it.each<[string, string, () => MappedRequest]>([
    ["not at all", RIGHT, () => header()],
    ["not at all, presigned", RIGHT, () => presigned()],
    ["the method", NO_MATCH, () => changed(header(), { method: "GET" })],
    ["the method, presigned", NO_MATCH, () => changed(presigned(), { method: "DELETE" })],
    ["the method's case", NO_MATCH, () => changed(header(), { method: "put" })],
    ["the path", NO_MATCH, () => changed(header(), { path: "/repo/main/other.csv" })],
    ["a slash at the end", NO_MATCH, () => changed(header(), { path: "/repo/main/data.csv/" })],
    ["a slash doubled", NO_MATCH, () => changed(header(), { path: "/repo//main/data.csv" })],
    ["a detour in the path", NO_MATCH, () => changed(header(), { path: "/repo/x/../main/data.csv" })],
    ["the path encoded twice", NO_MATCH, () => changed(header(), { path: "/repo/main/data%252Ecsv" })],
    ["the path spelled otherwise", RIGHT, () => changed(header(), { path: "/%72epo/main%2fdata%2ecsv" })],
    [
      "a query in the path",
      NO_MATCH,
      () => changed(header({ path: "/repo/a%3Facl" }), { path: "/repo/a?acl" }),
    ],
    ["a broken escape in the path", NO_MATCH, () => changed(header(), { path: "/repo/main/data%2" })],
    [
      "a parameter's value",
      NO_MATCH,
      () => changed(header(), { query: "partNumber=2&uploadId=u%2F1%20%2B" }),
    ],
    ["a parameter more", NO_MATCH, () => changed(header(), { query: `${header().query}&acl=` })],
    ["a parameter less", NO_MATCH, () => changed(header(), { query: "partNumber=1" })],
    [
      "the order of parameters",
      RIGHT,
      () => changed(header(), { query: "uploadId=u%2F1%20%2B&partNumber=1" }),
    ],
    [
      "the query spelled otherwise",
      RIGHT,
      () => changed(header(), { query: "part%4eumber=1&&uploadId=u/1+%2b" }),
    ],
    ["a parameter repeated", NO_MATCH, () => changed(header(), { query: `${header().query}&partNumber=1` })],
    [
      "one repeated in another spelling",
      NO_MATCH,
      () => changed(header(), { query: `${header().query}&part%4Eumber=1` }),
    ],
    ["a semicolon in the query", NO_MATCH, () => changed(header({ query: [["a", ";"]] }), { query: "a=;" })],
    ["a broken escape in the query", NO_MATCH, () => changed(header(), { query: `${header().query}&a=%` })],
    ["the host", NO_MATCH, () => changed(header(), {}, { host: "other.example.com" })],
    ["the host, presigned", NO_MATCH, () => changed(presigned(), {}, { host: "other.example.com" })],
    ["a signed header's value", NO_MATCH, () => changed(header(), {}, { "content-type": "text/html" })],
    ["an x-amz header's value", NO_MATCH, () => changed(header(), {}, { "x-amz-meta-a": "c" })],
    ["a signed header's case", NO_MATCH, () => changed(header(), {}, { "content-type": "TEXT/csv" })],
    ["a signed header repeated", NO_MATCH, () => changed(header(), {}, { "x-amz-meta-a": "b,b" })],
    ["blanks around a value", RIGHT, () => changed(header(), {}, { "content-type": " \ttext/csv  " })],
    ["a signed header taken out", NO_MATCH, () => changed(header(), {}, { "content-type": undefined })],
    ["a header that is not signed", RIGHT, () => changed(header(), {}, { "user-agent": "x" })],
    ["a copy source added", DENIED, () => changed(header(), {}, { "x-amz-copy-source": "/secret/object" })],
    [
      "a copy source added, presigned",
      DENIED,
      () => changed(presigned(), {}, { "x-amz-copy-source": "/s/o" }),
    ],
    ["an empty x-amz header added", DENIED, () => changed(header(), {}, { "x-amz-acl": "" })],
    [
      "the digest of the body",
      NO_MATCH,
      () => changed(header(), {}, { "x-amz-content-sha256": "0".repeat(64) }),
    ],
    [
      "the body unsigned",
      NO_MATCH,
      () => changed(header(), {}, { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }),
    ],
    ["the digest taken out", NO_MATCH, () => changed(header(), {}, { "x-amz-content-sha256": undefined })],
    ["another time in time", NO_MATCH, () => changed(header(), {}, { "x-amz-date": "20260304T120001Z" })],
    ["another time in time, presigned", NO_MATCH, asQuery((q) => edit(q, "T120000Z", "T120001Z"))],
    ["a longer life", NO_MATCH, asQuery((q) => edit(q, "Expires=3600", "Expires=3601"))],
    ["the key", NO_MATCH, asHeader((a) => edit(a, "AK-ALICE", "AK-BOB"))],
    ["the key, presigned", NO_MATCH, asQuery((q) => edit(q, "AK-ALICE", "AK-BOB"))],
    ["an unknown key", NO_KEY, asHeader((a) => edit(a, "AK-ALICE", "AK-NOBODY"))],
    ["an unknown key, presigned", NO_KEY, asQuery((q) => edit(q, "AK-ALICE", "AK-NOBODY"))],
    ["a key that can be none", NO_KEY, asHeader((a) => edit(a, "AK-ALICE", ".."))],
    ["no key", BAD_HEADER, asHeader((a) => edit(a, "Credential=AK-ALICE/", "Credential=/"))],
    [
      "a header's character whose low byte is right",
      NO_MATCH,
      () => changed(header(), {}, { "x-amz-meta-a": "\u0162" }),
    ],
    ["the signature cut", BAD_HEADER, asHeader((a) => a.slice(0, -1))],
    ["the signature cut, presigned", BAD_QUERY, asQuery((q) => q.slice(0, -1))],
    ["the signature in capitals", BAD_HEADER, asHeader((a) => edit(a, /[0-9a-f]{64}$/, "A".repeat(64)))],
    ["the list of signed headers shortened", DENIED, asHeader((a) => edit(a, ";x-amz-meta-a", ""))],
    ["a harmless header unlisted", NO_MATCH, asHeader((a) => edit(a, "content-type;", ""))],
    ["a signed header listed twice", BAD_HEADER, asHeader((a) => edit(a, "host;", "host;host;"))],
    ["the list unsorted", BAD_HEADER, asHeader((a) => edit(a, "content-type;host", "host;content-type"))],
    ["the list in capitals", BAD_HEADER, asHeader((a) => edit(a, ";host", ";Host"))],
    [
      "a name that can be none in the list",
      BAD_HEADER,
      asHeader((a) => edit(a, "content-type", "content:type")),
    ],
    ["a part of the header repeated", BAD_HEADER, asHeader((a) => `${a}, Signature=${"0".repeat(64)}`)],
    ["a blank in the credential", BAD_HEADER, asHeader((a) => edit(a, "AK-ALICE", "AK ALICE"))],
    ["a tab in the list", BAD_HEADER, asHeader((a) => edit(a, ";host", ";ho\tst"))],
    ["no credential", BAD_HEADER, asHeader((a) => edit(a, /Credential=[^,]+/, "Credential="))],
    ["an empty list", BAD_HEADER, asHeader((a) => edit(a, /SignedHeaders=[^,]+/, "SignedHeaders="))],
    ["no list", BAD_HEADER, asHeader((a) => edit(a, / SignedHeaders=[^,]+,/, ""))],
    [
      "the parts in another order",
      BAD_HEADER,
      asHeader((a) => edit(a, /(Cred[^,]+), (Signed[^,]+)/, "$2, $1")),
    ],
    ["the authorization twice", BAD_HEADER, asHeader((a) => `${a},${a}`)],
  ])("%s: %s", async (_name, outcome, make) => {
    expect(await verify(make())).toBe(outcome);
  });
});

describe("an Authorization header", () => {
  it.each([
    ["without blanks between its parts", (a: string) => a.replaceAll(", ", ",")],
    ["with more blanks between them", (a: string) => a.replaceAll(", ", ",   ")],
    ["with more blanks before them", (a: string) => edit(a, " Credential", "   Credential")],
  ])("%s is the same signature", async (_name, spelled) => {
    const request = header();
    const authorization = spelled(request.headers.get("authorization")!);
    expect(await verify(changed(request, {}, { authorization }))).toBe(RIGHT);
  });
});
