import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LoadOptions, loadDatasets } from "../../src/datasets/load-datasets.ts";
import { openPieces } from "../../src/datasets/pieces/open-pieces.ts";
import { type PieceSize, SECTIONS } from "../../src/datasets/pieces/piece.ts";
import { LOCAL } from "../directory/backends.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { sized } from "../proofs/size.ts";
import { arbitraryDataset } from "./arbitrary-dataset.ts";
import { fileFolder } from "./file-folder.ts";
import { plainState } from "./plain-state.ts";
import { spoiled } from "./spoiled-dataset.ts";

const folder = fileFolder();
const WHOLE: PieceSize = { chars: Number.MAX_SAFE_INTEGER, entries: Number.MAX_SAFE_INTEGER };
const size = fc.record({
  chars: fc.constantFrom(1, 60, 400, Number.MAX_SAFE_INTEGER),
  entries: fc.integer({ min: 1, max: 5 }),
});

/** The report of a load, or its problems. */
async function outcomeOf(into: TestDirectory, options: Pick<LoadOptions, "files" | "mode" | "size">) {
  try {
    const report = await loadDatasets({ ...into, env: () => undefined, yes: true, ...options });
    return { changes: [...report.changes], counts: report.counts, needsYes: report.needsYes };
  } catch (error) {
    if (!(error instanceof AuthorizerError)) throw error;
    return { code: error.code, problems: error.problems };
  }
}

const stateOf = async ({ directory }: TestDirectory) =>
  plainState(await directory.batches.state({ secrets: true }));

/** The data set as lines. */
function linesOf(dataset: object): string {
  const head: Record<string, unknown> = {};
  const lines: object[] = [];
  for (const [name, value] of Object.entries(dataset)) {
    const isList = (SECTIONS as readonly string[]).includes(name) && Array.isArray(value);
    if (isList) for (const entry of value) lines.push({ [name]: entry });
    else head[name] = value;
  }
  return [head, ...lines].map((line) => JSON.stringify(line)).join("\n");
}

describe("data sets in pieces", () => {
  it("of any size have the same problems at the same places, and make the same changes", async () => {
    const runs = fc.array(
      fc.tuple(
        fc.array(spoiled(arbitraryDataset), { minLength: 1, maxLength: 2 }),
        fc.constantFrom("load" as const, "sync" as const),
      ),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(runs, size, fc.constantFrom(undefined, 2), async (loads, pieces, indent) => {
        const [inPieces, whole] = await Promise.all([openTestDirectory(), openTestDirectory()]);
        for (const [datasets, mode] of loads) {
          const files = datasets.map((one, index) =>
            folder.write(`${index}.json`, JSON.stringify(one, undefined, indent)),
          );
          const outcome = await outcomeOf(inPieces, { files, mode, size: pieces });
          expect(outcome).toEqual(await outcomeOf(whole, { files, mode, size: WHOLE }));
          expect(await stateOf(inPieces)).toEqual(await stateOf(whole));
        }
        await Promise.all([inPieces.close(), whole.close()]);
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it("are found in JSON, in lines and in YAML alike", async () => {
    await fc.assert(
      fc.asyncProperty(spoiled(arbitraryDataset), size, async (dataset, pieces) => {
        const text = JSON.stringify(dataset);
        // JSON is YAML, whose value is in memory as a whole.
        const written = { "a.json": text, "b.yaml": text, "c.ndjson": linesOf(dataset) };
        const outcomes: unknown[] = [];
        for (const [name, content] of Object.entries(written)) {
          const opened = await openTestDirectory();
          const outcome = await outcomeOf(opened, {
            files: [folder.write(name, content)],
            mode: "load",
            size: pieces,
          });
          const problems = outcome.problems?.map(({ pointer, message }) => `${pointer}: ${message}`).sort();
          outcomes.push({ ...outcome, problems, state: await stateOf(opened) });
          await opened.close();
        }
        const [json, yaml, lines] = outcomes;
        expect(yaml).toEqual(json);
        // A line cannot say that a section is no list.
        if (SECTIONS.every((name) => Array.isArray(Reflect.get(dataset, name)))) expect(lines).toEqual(json);
      }),
      { numRuns: sized(30, 100) },
    );
  });

  it("of many changes are staged, and a load that ends in a fault leaves nothing", async () => {
    const opened = await openTestDirectory({ backend: LOCAL });
    const users = Array.from({ length: 3_000 }, (_, index) => ({ username: `u${index}`, groups: ["G"] }));
    const dataset = { format: 1, users, groups: [{ name: "G" }] };
    const bad = folder.write("bad.json", { ...dataset, policies: [{ name: "P" }] });
    expect(await outcomeOf(opened, { files: [bad], mode: "sync" })).toMatchObject({
      code: "invalid_request",
    });
    expect(opened.store.history.head.revision).toBe((await opened.store.snapshot()).revision);
    expect((await opened.directory.batches.state({ secrets: false })).users.size).toBe(0);
    const before = opened.store.history.head.revision;
    const good = folder.write("good.json", dataset);
    expect(await outcomeOf(opened, { files: [good], mode: "sync" })).toMatchObject({
      counts: { add: 6_001 },
    });
    expect(opened.store.history.head.revision).toBe(before + 1);
    const state = await opened.directory.batches.state({ secrets: false });
    expect([...(state.users.get("u2999")?.groups.keys() ?? [])]).toEqual(["G"]);
    await opened.close();
  });
});

describe("a JSON text with a fault", () => {
  const TEXTS = [
    "",
    "{",
    '{"format": 1',
    '{"format": 1,}',
    '{"format": 1} x',
    '{"format" 1}',
    '{"format": 1 "users": []}',
    '{"format": 1, users: []}',
    "{'format': 1}",
    '{"format": 1, "users": [{"username": "a"},]}',
    '{"format": 1, "users": [{"username": "a"} {"username": "b"}]}',
    '{"format": 1, "users": [{"username": "a"}, ,]}',
    '{"format": 1,\n "users": [{"username": "a"},\n  {"username": "b" "groups": []}]}',
    '{"format": 1,\n "users": [{"username": "a"},\n  {"username": "b", "groups": ["x"}]}',
    '{"format": 1, "users": [{"username": "a"}, // the second\n {"username": "b"}]}',
    '{"format": 1, "users": [{"username": "a"}}',
    '{"format": 1, "users": [{"username": "a"',
    '{"format": 1, "users": ["a',
    '{"format": 1, "users": [{"username": "a", "username": "b"}, {"groups": [], "groups": []}]}',
    '{"format": 1, "users": [], "format": 1, "users": [{"username": "a"}]}',
    '{"format": 1, "users": [{"username": "a", "properties": {"n": 1e999}}]}',
    `{"format": 1, "users": [{"username": "a", "properties": {"n": ${"1".repeat(50)}}}]}`,
    '{"format": 1, "users": [{"username": "a"}], "x": tru}',
    '{"format": 1, "users": [{"username": "a", "email": "\\ud800"}, {"username": "\\udc00"}]}',
    `{"format": 1, "x": ${"[".repeat(40)}${"]".repeat(40)}, "users": [${"[".repeat(40)}${"]".repeat(40)}]}`,
    '{"format": 1, "users": [{"username": "a\u0000"}]}',
    "[1, 2",
  ];

  it.each(TEXTS.map((text) => ({ text })))("$text", async ({ text }) => {
    const file = folder.write("fault.json", text);
    const read = await readDocument(file, "data set");
    const expected = "problems" in read ? read.problems : [];
    for (const entries of [1, 2, 500]) {
      const opened = await openPieces(file, { chars: 1_000, entries });
      if ("problems" in opened) {
        expect(opened.problems).toEqual(expected);
        continue;
      }
      const pieces = opened.pieces();
      let next = await pieces.next();
      while (next.done !== true) next = await pieces.next();
      expect("problems" in next.value ? next.value.problems : []).toEqual(expected);
    }
  });
});
