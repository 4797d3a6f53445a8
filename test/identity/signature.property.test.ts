import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../proofs/size.ts";
import { changed, header, NO_MATCH, presigned, RIGHT, shareVerification } from "./signature-kit.ts";

const shared = shareVerification();
const { verify } = shared;

describe("any request", () => {
  const text = fc.string({ unit: "binary", maxLength: 12 }).filter((value) => value.isWellFormed());
  const encoded = (value: string): string =>
    encodeURIComponent(value).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const request = fc.record({
    method: fc.constantFrom("GET", "PUT", "HEAD", "POST", "DELETE"),
    segments: fc.array(fc.oneof(text, fc.constantFrom("", ".", "..", "a b", "a+b", "%2F", "~")), {
      maxLength: 4,
    }),
    query: fc.uniqueArray(
      fc.tuple(
        text.filter((name) => !/^(x-amz-|AWSAcc|Signature$)/i.test(name)),
        text,
      ),
      {
        selector: ([name]) => name,
        maxLength: 4,
      },
    ),
    meta: fc.stringMatching(/^[!-~]( {0,3}[!-~]){0,8}$/),
  });

  it("that is signed is taken, in the header and presigned, and not when the path is another", async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ method, segments, query, meta }) => {
        const path = `/${segments.map(encoded).join("/")}`;
        const inHeader = header({ method, path, query, headers: { host: "h", "x-amz-meta-a": meta } });
        const inQuery = presigned({ method, path, query });
        expect([await verify(inHeader), await verify(inQuery)]).toEqual([RIGHT, RIGHT]);
        expect(await verify(changed(inHeader, { path: `${path}x` }))).toBe(NO_MATCH);
      }),
      { numRuns: 300 },
    );
  });

  it("of any texts is answered, refused for a reason that S3 has", async () => {
    const byte = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    });
    const part = fc.oneof(
      byte,
      fc.constantFrom("%", "+", "&", ";", "=", "X-Amz-Signature=", "AWS4-HMAC-SHA256 "),
    );
    const parts = fc.array(part, { maxLength: 6 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(parts, parts, parts, async (path, query, authorization) => {
        const headers = new Map([
          ["host", "h"],
          ["authorization", authorization],
        ]);
        expect(await verify({ method: "GET", path: `/${path}`, query, headers })).toMatch(
          /^unauthenticated [A-Z]\w+$/,
        );
      }),
      { numRuns: sized(100, 500) },
    );
  });
});
