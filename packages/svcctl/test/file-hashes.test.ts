/** Checksums of files, alone and several together, against the library's. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileHashes } from "@svc-authorizer/svcctl/transfer/hashes/file-hashes.ts";
import { type HashAnswer, HashThreads } from "@svc-authorizer/svcctl/transfer/hashes/hash-threads.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const CONTENT = Buffer.from(
  Array.from({ length: 700_000 }, (_, index) => (index * index + (index >> 8)) % 251),
);
const md5 = (content: Buffer) => createHash("md5").update(content).digest("hex");

/** A file of the content, and hashes that keep their answers. */
function hashesOf() {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, CONTENT);
  const answers: HashAnswer[] = [];
  const hashes = new FileHashes((answer) => answers.push(answer));
  return { path, answers, hashes };
}

function workThrough(hashes: FileHashes): void {
  for (;;) {
    const work = hashes.work();
    if (work === "none") return;
    if (work === "waits") hashes.hurry();
  }
}

describe("checksums of files", () => {
  it("are those of the library, whatever the files have, and however they grow", () => {
    const { path, answers, hashes } = hashesOf();
    const size = fc.oneof(
      fc.integer({ min: 0, max: 700_000 }),
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom(55, 56, 63, 64, 65, 119, 120, 128 * 1024, 256 * 1024),
    );
    const file = fc.record({
      size,
      start: fc.constantFrom(0, 0, 1, 64, 5000),
      steps: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
      together: fc.boolean(),
    });
    const turns = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 20 }), turns, (files, works) => {
        answers.length = 0;
        const ends = files.map(({ size, start }) => Math.min(CONTENT.length, start + size));
        files.forEach(({ start, together }, id) => void hashes.obey({ id, path, start, together }));
        for (let step = 0; step < 4; step += 1) {
          files.forEach(({ steps, start }, id) => {
            const share = steps.toSorted()[step];
            if (share === undefined) return;
            const reached = start + Math.floor(((ends[id] ?? 0) - start) * share);
            hashes.obey({ id, reached });
            if (works.next().value === true) hashes.work();
          });
        }
        files.forEach((_, id) => {
          hashes.obey({ id, reached: ends[id] ?? 0 });
          hashes.obey({ id, end: "digest" });
          if (works.next().value === true) workThrough(hashes);
        });
        workThrough(hashes);
        const expected = files.map(({ start }, id) => ({
          id,
          digest: md5(CONTENT.subarray(start, ends[id])),
        }));
        expect(answers.toSorted((one, other) => one.id - other.id)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("of several together wait for each other, at their end only until they are hurried", () => {
    const { path, answers, hashes } = hashesOf();
    for (let id = 0; id < 5; id += 1) {
      hashes.obey({ id, path, together: true });
      hashes.obey({ id, reached: 300_000 });
    }
    expect(hashes.work()).toBe("none");
    hashes.obey({ id: 2, end: "digest" });
    expect(hashes.work()).toBe("waits");
    hashes.hurry();
    workThrough(hashes);
    expect(answers).toEqual([{ id: 2, digest: md5(CONTENT.subarray(0, 300_000)) }]);
  });

  it("of files that end later wait again, though earlier ones were hurried", () => {
    const { path, answers, hashes } = hashesOf();
    for (let id = 0; id < 8; id += 1) {
      hashes.obey({ id, path, together: true });
      hashes.obey({ id, reached: 300_000 });
    }
    hashes.obey({ id: 2, end: "digest" });
    expect(hashes.work()).toBe("waits");
    hashes.hurry();
    // The other one ends before there is a turn in which none has ended.
    while (answers.length === 0) hashes.work();
    hashes.obey({ id: 5, end: "digest" });
    expect(hashes.work()).toBe("waits");
    expect(answers.map(({ id }) => id)).toEqual([2]);
  });

  it("of a file that became shorter fails, and the others go on", () => {
    const { path, answers, hashes } = hashesOf();
    for (let id = 0; id < 6; id += 1) {
      hashes.obey({ id, path, together: true });
      hashes.obey({ id, reached: id === 3 ? CONTENT.length + 1000 : CONTENT.length });
      hashes.obey({ id, end: "digest" });
    }
    workThrough(hashes);
    const digest = md5(CONTENT);
    expect(answers.toSorted((one, other) => one.id - other.id)).toEqual([
      ...[0, 1, 2].map((id) => ({ id, digest })),
      { id: 3, error: "the file became shorter while it was read" },
      ...[4, 5].map((id) => ({ id, digest })),
    ]);
  });

  it("are computed in threads, those of large files beside them", async () => {
    const { path } = hashesOf();
    const threads = new HashThreads();
    const sizes = [CONTENT.length, 1, 200_000, 300_000, 400_000, 500_000, 2 ** 30];
    const digests = sizes.map((size) => {
      const hash = threads.follow(path, size);
      hash.reached(Math.min(size, CONTENT.length));
      return hash.digest();
    });
    expect(await Promise.all(digests)).toEqual(sizes.map((size) => md5(CONTENT.subarray(0, size))));
    threads.close();
  });
});
