import { describe, expect, it } from "vitest";
import { whichApi } from "../../src/request-map/which-api.ts";

const DOMAINS = ["s3.example.com", "s3.local:8000", "cafe.de"];

interface Asked {
  readonly host?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function api({ host, query = "", headers = {} }: Asked): string {
  const known = new Map(Object.entries(headers));
  const found = whichApi({ host, query, header: (name) => known.get(name), s3Domains: DOMAINS });
  if ("problem" in found) return "refused";
  return found.bucket === undefined ? found.api : `${found.api} ${found.bucket}`;
}

describe("which table a request is for (spec/security §2.6)", () => {
  it.each<[string | undefined, string]>([
    ["s3.example.com", "gateway"],
    ["s3.example.com:443", "gateway"],
    ["s3.example.com:", "gateway"],
    ["s3.local", "gateway"],
    ["s3.local:9000", "gateway"],
    ["data.s3.example.com", "gateway data"],
    ["data.s3.example.com:443", "gateway data"],
    ["data.s3.local", "gateway data"],
    ["lake.example.com", "main"],
    ["example.com", "main"],
    ["xs3.example.com", "main"],
    ["s3.example.com.evil.org", "main"],
    ["127.0.0.1:8000", "main"],
    ["[::1]:8000", "main"],
    ["[::1]", "main"],
    [undefined, "main"],
    // The data server compares letters and takes these for its main API.
    ["S3.example.com", "refused"],
    ["data.S3.Example.com", "refused"],
    ["s3.example.com.", "refused"],
    ["data.s3.example.com.", "refused"],
    ["a.b.s3.example.com", "refused"],
    [".s3.example.com", "refused"],
    // What is no host.
    ["", "refused"],
    ["s3.example.com:80:80", "refused"],
    ["s3.example.com:x", "refused"],
    ["s3.example.com, lake.example.com", "refused"],
    ["s3.example.com/", "refused"],
    ["user@s3.example.com", "refused"],
    ["::1", "refused"],
    // The data server takes what is between the brackets for the name.
    ["[s3.local]:80", "refused"],
    ["[cafe.de]:80", "refused"],
    ["[cafe.de]", "refused"],
  ])("host %s: %s", (host, expected) => {
    expect(api({ ...(host === undefined ? {} : { host }) })).toBe(expected);
  });

  it.each<[string, string]>([
    ["AWS4-HMAC-SHA256 Credential=…", "gateway"],
    ["AWS4", "gateway"],
    ["AWS key:signature", "gateway"],
    ["AWS", "main"],
    ["aws4-hmac-sha256 Credential=…", "main"],
    [" AWS4-HMAC-SHA256", "main"],
    ["Basic QVdTNA==", "main"],
    ["Bearer AWS4", "main"],
  ])("Authorization %s: %s", (authorization, expected) => {
    expect(api({ headers: { authorization } })).toBe(expected);
  });

  it.each<[string, string]>([
    ["X-Amz-Signature=1", "gateway"],
    ["X-Amz-Credential=1", "gateway"],
    ["AWSAccessKeyId=1", "gateway"],
    ["a=b&X-Amz-Signature=1&c", "gateway"],
    ["%58-Amz-Signature=1", "gateway"],
    ["X%2dAmz%2DCredential=%41", "gateway"],
    ["X-Amz-Signature=1=2", "gateway"],
    ["", "main"],
    ["a=X-Amz-Signature", "main"],
    ["x-amz-signature=1", "main"],
    ["X-Amz-Signature%00=1", "main"],
    ["X-Amz-Signature%FF=1", "main"],
    ["X-Amz-Signature+=1", "main"],
    ["X-Amz-Date=1", "main"],
    // Go drops these pairs.
    ["X-Amz-Signature=1;", "main"],
    ["X-Amz-Signature=%", "main"],
    ["X-Amz-Signature=%zz", "main"],
    ["X-Amz-Signature%=1", "main"],
    // There, but nothing to the data server.
    ["X-Amz-Signature", "refused"],
    ["X-Amz-Credential=", "refused"],
    ["AWSAccessKeyId=&AWSAccessKeyId=1", "refused"],
  ])("query %s: %s", (query, expected) => {
    expect(api({ query })).toBe(expected);
  });

  it("a header X-Amz-Signature is refused: only the data server takes it for a signature", () => {
    expect(api({ headers: { "x-amz-signature": "1" } })).toBe("refused");
    expect(api({ headers: { "x-amz-signature": "" } })).toBe("main");
    expect(api({ host: "s3.example.com", headers: { "x-amz-signature": "1" } })).toBe("refused");
  });

  it("a signature on any host is the gateway's; a readable host does not make up for what is refused", () => {
    const authorization = "AWS4-HMAC-SHA256 Credential=…";
    expect(api({ host: "lake.example.com", headers: { authorization } })).toBe("gateway");
    expect(api({ host: "data.s3.example.com", headers: { authorization } })).toBe("gateway data");
    expect(api({ host: "S3.EXAMPLE.COM", headers: { authorization } })).toBe("refused");
    expect(api({ host: "s3.example.com", query: "X-Amz-Credential=" })).toBe("refused");
  });

  it("a signed request at a host that only ends like the domain is refused: the server takes it for a bucket", () => {
    const signed = { authorization: "AWS4-HMAC-SHA256 Credential=…" };
    for (const host of ["xs3.example.com", "xs3.example.com:80", "my-s3.local"]) {
      expect(api({ host, headers: signed })).toBe("refused");
      expect(api({ host, query: "AWSAccessKeyId=1" })).toBe("refused");
      expect(api({ host })).toBe("main");
    }
    expect(api({ host: "xs3.example.com.evil.org", headers: signed })).toBe("gateway");
  });

  it.each(["::1", "[::1]:8000"])("with the address %s as domain, no address is a readable host", (domain) => {
    for (const host of ["[::1]", "[::1]:8000", "[::2]:80"]) {
      const found = whichApi({ host, query: "", header: () => undefined, s3Domains: [domain] });
      expect(found).toHaveProperty("problem");
    }
  });

  it("without a domain only signatures make a request the gateway's", () => {
    const header = () => undefined;
    for (const s3Domains of [[], [""], [":80"]]) {
      expect(whichApi({ host: "s3.example.com", query: "", header, s3Domains })).toEqual({ api: "main" });
      expect(whichApi({ host: "x.", query: "AWSAccessKeyId=1", header, s3Domains })).toEqual({
        api: "gateway",
      });
    }
  });
});
