/** `svcctl cat-sst` on files that a real data server wrote, against what its own tool printed for them. */
import { readFileSync } from "node:fs";
import { unsnap } from "@svc-authorizer/commands/sstable/snappy.ts";
import { openTable } from "@svc-authorizer/commands/sstable/table-reader.ts";
import { describe, expect, it } from "vitest";
import { svcctl } from "./run-svcctl.ts";

const FOLDER = new URL("../../../fixtures/tables/", import.meta.url).pathname;
const KINDS = ["metarange", "objects", "commits", "branches"];

describe("a table of a data server", () => {
  it.each(KINDS)("is shown as its own tool shows it: %s", async (kind) => {
    const { code, stdout } = await svcctl(["cat-sst", `${FOLDER}${kind}.sst`]);
    expect(code).toBe(0);
    expect(stdout.replaceAll("/tmp/svcctl/", "")).toBe(readFileSync(`${FOLDER}${kind}.tsv`, "utf8"));
  });

  it("is read from standard input, and up to an amount", async () => {
    const stdin = readFileSync(`${FOLDER}commits.sst`);
    const table = openTable(stdin);
    const all = [...table.entries()].length;
    expect(all).toBeGreaterThan(1);
    const { stdout } = await svcctl([
      "cat-sst",
      "--file",
      `${FOLDER}commits.sst`,
      "--amount",
      "1",
      "-o",
      "json",
    ]);
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(table.properties.get("type")).toBe("ranges");
  });

  it.each(KINDS)("that was damaged is refused, wherever the damage is: %s", (kind) => {
    const file = readFileSync(`${FOLDER}${kind}.sst`);
    for (let at = 0; at < file.length - 60; at += 7) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      // What lies between the blocks that are read may be anything.
      let entries: string[] = [];
      try {
        entries = [...openTable(damaged).entries()].map(({ key }) => key.toString());
      } catch (error) {
        expect((error as Error).message).not.toMatch(/undefined|out of range/i);
        continue;
      }
      expect(entries).toEqual([...openTable(file).entries()].map(({ key }) => key.toString()));
    }
  });

  it.each([
    ["", "no table"],
    ["short", "no table"],
    ["x".repeat(100), "no table"],
  ])("%j is none", async (text, what) => {
    expect(() => openTable(Buffer.from(text))).toThrow(what);
  });

  it("needs a file", async () => {
    expect(await svcctl(["cat-sst"])).toMatchObject({
      code: 1,
      stderr: 'Error: required flag(s) "file" not set\n',
    });
  });
});

describe("a block in the format of Snappy", () => {
  it.each([
    // Length 5, literal of 5 bytes.
    ["05106865 6c6c6f", "hello"],
    // Literal of 1 byte, then a copy of 9 bytes from 1 byte before: it overlaps itself.
    ["0a00611501", "aaaaaaaaaa"],
  ])("%s", (hex, text) => {
    expect(unsnap(Buffer.from(hex.replaceAll(" ", ""), "hex")).toString()).toBe(text);
  });

  it.each(["", "ff", "05106865", "051068656c6c6f00", "0a00611500", "ffffffffff7f"])(
    "%s is damaged",
    (hex) => {
      expect(() => unsnap(Buffer.from(hex, "hex"))).toThrow(/damaged|too large/);
    },
  );
});
