/** Checksums of files, and what counts as the checksum of a content. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checksumOf, isMd5, md5OfFile, tellsContent } from "@svc-authorizer/svcctl/transfer/checksum.ts";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const MD5 = "0a9739d8f171bb3a216168a2b7376e2e";

describe("the checksum of a file", () => {
  it.each([0, 1, 64, 1024 * 1024, 2_500_000])("of %d bytes is that of the library", async (size) => {
    const content = Buffer.from(Array.from({ length: size }, (_, index) => (index * index) % 251));
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, content);
    expect(await md5OfFile(file)).toBe(createHash("md5").update(content).digest("hex"));
  });

  it("is not computed to its end when somebody ends that", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "content");
    const ended = AbortSignal.abort(new Error("interrupted"));
    await expect(md5OfFile(file, ended)).rejects.toThrow("interrupted");
  });

  it("of a file that is not there fails with the error of the file", async () => {
    await expect(md5OfFile(join(temporaryFolder(), "lost"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("an answer of an object store", () => {
  it.each([
    ["its MD5", { "content-md5": Buffer.from(MD5, "hex").toString("base64"), etag: '"other"' }, MD5],
    ["its tag without an MD5", { etag: ` "${MD5}" ` }, MD5],
    ["nothing", {}, ""],
  ])("names as the checksum %s", (_, headers, expected) => {
    expect(checksumOf(new Headers(headers))).toBe(expected);
  });

  it.each([
    [{}, true],
    [{ "x-amz-server-side-encryption": "AES256" }, true],
    [{ "x-amz-server-side-encryption": "aws:kms" }, false],
    [{ "x-amz-server-side-encryption-customer-algorithm": "AES256" }, false],
  ])("with %j has a checksum of the content: %s", (headers, expected) => {
    expect(tellsContent(new Headers(headers as Record<string, string>))).toBe(expected);
  });

  it.each([
    [MD5, true],
    [MD5.toUpperCase(), true],
    [`${MD5}-3`, false],
    ["", false],
  ])("is compared where its checksum %j is an MD5: %s", (checksum, expected) => {
    expect(isMd5(checksum)).toBe(expected);
  });
});
