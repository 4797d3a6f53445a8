import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { writeState } from "../../src/decision-log/chain/chain-state.ts";
import { sized } from "../proofs/size.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, findingsIn, openTestLog, SECRET } from "./test-log.ts";

const CASES = Number(process.env["DAMAGE_CASES"] ?? sized(150, 1_000));

/** A log of several segments, some of them compressed, whose newest one is open. */
async function makeLog(compress: boolean): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "decision-log-"));
  const log = await openTestLog(directory, { segmentBytes: 6_000, compress });
  for (let index = 0; index < 60; index++) {
    log.decided(decidedBy(`user${index}`, `r${index}`));
    if (index % 6 === 0) await log.written();
  }
  await log.close();
  return directory;
}

let plain = "";
let packed = "";
beforeAll(async () => {
  plain = await makeLog(false);
  packed = await makeLog(true);
  return () => {
    for (const folder of [plain, packed]) rmSync(folder, { recursive: true, force: true });
  };
});

/** A copy of a log, and its files. */
function copyOf(directory: string) {
  const copy = temporaryFolder();
  cpSync(directory, copy, { recursive: true });
  const folder = join(copy, "n1-0");
  const files = readdirSync(folder).sort();
  return { copy, folder, files, segments: files.filter((name) => name.includes(".jsonl")) };
}

const placed = (file: string, line: number) => [expect.objectContaining({ file, line, torn: false })];

describe("a damaged decision log", () => {
  it("is sound before it is damaged", async () => {
    expect(await findingsIn(plain)).toEqual([]);
    expect(await findingsIn(packed)).toEqual([]);
    expect(copyOf(plain).segments.length).toBeGreaterThan(3);
  });

  it("is found by a byte that changed", async () => {
    const { copy, folder } = copyOf(plain);
    const file = join(folder, "0000000002.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"user1(\d)"/, '"user2$1"'));
    const line =
      readFileSync(file, "utf8")
        .split("\n")
        .findIndex((text) => /"user2\d"/.test(text)) + 1;
    expect((await findingsIn(copy))[0]).toMatchObject({ file, line });
  });

  it("is found by a record that was removed", async () => {
    const { copy, folder } = copyOf(plain);
    const file = join(folder, "0000000001.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.toSpliced(3, 1).join("\n"));
    expect((await findingsIn(copy))[0]).toMatchObject({ file, line: 4, torn: false });
  });

  it("is found by two records that were swapped", async () => {
    const { copy, folder } = copyOf(plain);
    const file = join(folder, "0000000001.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.toSpliced(2, 2, lines[3] as string, lines[2] as string).join("\n"));
    expect((await findingsIn(copy))[0]).toMatchObject({ file, line: 3, torn: false });
  });

  it("is found by its newest segment that was lost, also after the service started again", async () => {
    for (const directory of [plain, packed]) {
      const { copy, folder, segments } = copyOf(directory);
      const lost = segments.at(-1) as string;
      rmSync(join(folder, lost));
      const reports: object[] = [];
      const log = await openTestLog(
        copy,
        {},
        { report: (problem, fields) => void reports.push({ problem, ...fields }) },
      );
      log.decided(decidedBy("later", "r"));
      await log.close();
      const number = Number(lost.slice(0, 10));
      expect(reports).toMatchObject([{ fault: `segments ${number} to ${number} are missing` }]);
      expect(await findingsIn(copy)).toEqual(placed(join(folder, lost), 1));
    }
  });

  it("is found by a state that somebody without the key wrote, also after the service started again", async () => {
    const { copy, folder, segments } = copyOf(plain);
    const first = segments[0] as string;
    const kept = readFileSync(join(folder, segments[1] as string), "utf8");
    const before = /"prev":"([0-9a-f]{64})"/.exec(kept)?.[1] as string;
    rmSync(join(folder, first));
    await writeState(folder, { first: 2, before, newest: segments.length }, undefined);
    expect(await findingsIn(copy)).toEqual(placed(join(folder, "chain.json"), 1));
    const log = await openTestLog(copy);
    log.decided(decidedBy("later", "r"));
    await log.close();
    expect((await findingsIn(copy))[0]).toMatchObject({ file: join(folder, segments[1] as string), line: 1 });
  });

  it("is not a log whose key was changed", async () => {
    const { copy } = copyOf(plain);
    const reports: string[] = [];
    const changes = { secretKey: "another secret key of the tests", formerSecretKey: SECRET };
    const log = await openTestLog(copy, changes, { report: (problem) => void reports.push(problem) });
    log.decided(decidedBy("later", "r"));
    await log.close();
    expect(reports).toEqual([]);
  });

  it("is found by a segment that was lost: the first, one between, the newest", async () => {
    for (const pick of [0, 1, -1]) {
      for (const directory of [plain, packed]) {
        const { copy, folder, segments } = copyOf(directory);
        const name = segments.at(pick) as string;
        rmSync(join(folder, name));
        expect(await findingsIn(copy)).toEqual(placed(join(folder, name.replace(".zst", "")), 1));
      }
    }
  });

  it("is found by segments that changed places, and by a chain under another name", async () => {
    const { copy, folder } = copyOf(plain);
    renameSync(join(folder, "0000000001.jsonl"), join(folder, "aside"));
    renameSync(join(folder, "0000000002.jsonl"), join(folder, "0000000001.jsonl"));
    renameSync(join(folder, "aside"), join(folder, "0000000002.jsonl"));
    expect((await findingsIn(copy))[0]).toMatchObject({ file: join(folder, "0000000001.jsonl"), line: 1 });
    const other = copyOf(plain);
    renameSync(other.folder, join(other.copy, "n2-0"));
    expect(await findingsIn(other.copy)).not.toEqual([]);
  });

  it(`is found in each of ${CASES} random cases`, async () => {
    const damage = fc.record({
      directory: fc.constantFrom("plain", "packed"),
      file: fc.nat(),
      // Negative from the end: the last bytes of a compressed file are its own check.
      at: fc.oneof(
        { weight: 3, arbitrary: fc.nat() },
        { weight: 1, arbitrary: fc.integer({ min: -12, max: -1 }) },
      ),
      kind: fc.constantFrom("change", "change", "remove", "insert", "cut"),
      byte: fc.integer({ min: 1, max: 255 }),
    });
    const copies = { plain: copyOf(plain), packed: copyOf(packed) };
    await fc.assert(
      fc.asyncProperty(damage, async ({ directory, file: which, at, kind, byte }) => {
        const { copy, folder, files } = copies[directory as keyof typeof copies];
        const name = files[which % files.length] as string;
        const path = join(folder, name);
        const bytes = readFileSync(path);
        const place = at < 0 ? Math.max(0, bytes.length + at) : at % bytes.length;
        const changed = damaged(bytes, place, kind, byte);
        writeFileSync(path, changed);
        const findings = await findingsIn(copy);
        writeFileSync(path, bytes);
        // A cut of the open segment at the end of a line can only be seen by comparing with a sink.
        const isOpen = name === files.filter((one) => one.includes(".jsonl")).at(-1);
        if (isOpen && kind === "cut" && (place === 0 || bytes[place - 1] === 0x0a)) return;
        expect(findings.length).toBeGreaterThan(0);
        expect(findings.some(({ file }) => file.startsWith(folder))).toBe(true);
        if (!(isOpen && kind === "cut") && !isLastLineFeed(bytes, place, kind)) {
          expect(findings.some(({ torn }) => !torn)).toBe(true);
        }
      }),
      { numRuns: CASES },
    );
  });
});

function damaged(bytes: Buffer, place: number, kind: string, byte: number): Buffer {
  const before = bytes.subarray(0, place);
  if (kind === "cut") return before;
  if (kind === "remove") return Buffer.concat([before, bytes.subarray(place + 1)]);
  if (kind === "insert") return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(place)]);
  return Buffer.concat([before, Buffer.from([(bytes[place] as number) ^ byte]), bytes.subarray(place + 1)]);
}

/** True where only the last line feed is missing: the last line is then torn. */
function isLastLineFeed(bytes: Buffer, place: number, kind: string): boolean {
  return kind === "remove" && place === bytes.length - 1;
}
