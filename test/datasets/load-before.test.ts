/** A load that compares only the pieces that are not in force makes and says what one that compares all does. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { inForceMark, loadBefore } from "../../src/datasets/in-force.ts";
import { type LoadBefore, loadDatasets } from "../../src/datasets/load-datasets.ts";
import type { PieceSize } from "../../src/datasets/pieces/piece.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { sized } from "../proofs/size.ts";
import { arbitraryDataset } from "./arbitrary-dataset.ts";
import { fileFolder } from "./file-folder.ts";
import { plainState } from "./plain-state.ts";
import { spoiled } from "./spoiled-dataset.ts";

const folder = fileFolder();

type Settings = Pick<Parameters<typeof loadBefore>[0], "mode"> & {
  readonly files: readonly string[];
  readonly size: PieceSize;
  readonly version?: string;
};

/** Loads as the service does at a reload; `passed` counts the pieces that were not compared. */
async function reload(
  into: TestDirectory,
  { size, version = "1", ...settings }: Settings,
  passed?: number[],
  afterFirstReading = () => {},
) {
  const options = { env: () => undefined, guards: "strict", limits: {}, key: "a key" } as const;
  const load = { ...options, version, directory: into.directory, catalog: into.catalog, ...settings };
  const before: LoadBefore | undefined = passed && counting(loadBefore(load), passed, afterFirstReading);
  try {
    const report = await loadDatasets({
      ...load,
      size,
      yes: false,
      mark: inForceMark(load),
      ...(before !== undefined && { before }),
    });
    // What differs and stays is told of the pieces that were compared.
    const changes = [...report.changes].filter(({ action }) => action !== "keep");
    return { changes, needsYes: report.needsYes };
  } catch (error) {
    if (!(error instanceof AuthorizerError)) throw error;
    return { code: error.code, message: error.message, problems: error.problems };
  }
}

function counting(before: LoadBefore, passed: number[], afterFirstReading: () => void): LoadBefore {
  const entries: number[] = [];
  return {
    ...before,
    digests: () => {
      const digests = before.digests();
      const { add } = digests;
      digests.add = (piece) => {
        entries.push(piece.entries.length);
        add.call(digests, piece);
      };
      return digests;
    },
    inForce: async (read) => {
      const isInForce = await before.inForce(read);
      afterFirstReading();
      const counted = new Set<number>();
      return (
        isInForce &&
        ((number) => {
          const is = isInForce(number);
          if (is && !counted.has(number)) passed.push(entries[number]!);
          counted.add(number);
          return is;
        })
      );
    },
  };
}

const stateOf = async ({ directory }: TestDirectory) =>
  plainState(await directory.batches.state({ secrets: true }));

/** A data set, and others with some of its users, sections and faults. */
const series = fc
  .tuple(
    arbitraryDataset,
    fc.array(
      fc.tuple(arbitraryDataset, fc.nat(), fc.constantFrom("users", "users", "users", "groups", "all")),
      {
        minLength: 2,
        maxLength: 5,
      },
    ),
  )
  .map(([first, others]): DatasetDocument[] => [
    first,
    ...others.map(([other, at, what]) => {
      const users = [...(first.users ?? [])];
      const more = other.users ?? [];
      users.splice(at % (users.length + 1), at % 2, ...more.slice(0, 1 + (at % 2)));
      if (what === "users") return { ...first, users };
      return what === "groups" ? { ...first, users, groups: other.groups ?? [] } : other;
    }),
  ]);
const step = fc.record({
  mode: fc.constantFrom("load" as const, "sync" as const, "sync" as const),
  spoils: fc.constantFrom(false, false, false, true),
  deletes: fc.constantFrom(undefined, undefined, undefined, "alice", "bob"),
  lines: fc.boolean(),
});
const size = fc.record({ chars: fc.constantFrom(60, 10_000), entries: fc.integer({ min: 1, max: 4 }) });

it("leads to the same state and tells the same problems, whatever changed in the files and beside them", async () => {
  const passed: number[] = [];
  await fc.assert(
    fc.asyncProperty(
      series.chain((all) =>
        fc.tuple(...all.map((one) => fc.tuple(fc.constant(one), spoiled(fc.constant(one)), step))),
      ),
      fc.constantFrom("load" as const, "sync" as const),
      size,
      async (steps, mode, pieces) => {
        const [some, all] = await Promise.all([openTestDirectory(), openTestDirectory()]);
        for (const [sound, spoilt, { spoils, deletes, mode: other }] of steps) {
          const files = [folder.write("people.json", JSON.stringify(spoils ? spoilt : sound))];
          const settings = { files, mode: spoils ? other : mode, size: pieces };
          const outcome = await reload(some, settings, passed);
          expect(outcome).toEqual(await reload(all, settings));
          expect(await stateOf(some)).toEqual(await stateOf(all));
          if (deletes === undefined) continue;
          for (const { directory } of [some, all]) await directory.users.delete(deletes).catch(() => {});
        }
        await Promise.all([some.close(), all.close()]);
      },
    ),
    { numRuns: sized(15, 150) },
  );
  // By chance more or less: the small form once had nine.
  expect(passed.length).toBeGreaterThan(sized(0, 10));
});

const USERS = Array.from({ length: 2_000 }, (_, index) => ({ username: `u${index}`, groups: ["G"] }));
const SIZE = { chars: 64 * 1024, entries: 100 };

function linesOf(users: readonly object[]): string {
  const lines = [{ format: 1 }, { groups: { name: "G" } }, ...users.map((user) => ({ users: user }))];
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

it.each(["json", "ndjson"])(
  "compares a few pieces where lines of %s were added, changed and removed",
  async (ext) => {
    const opened = await openTestDirectory();
    const write = (users: readonly object[]) =>
      folder.write(
        `crowd.${ext}`,
        ext === "json" ? { format: 1, groups: [{ name: "G" }], users } : linesOf(users),
      );
    const settings = (users: readonly object[], version?: string) => ({
      files: [write(users)],
      mode: "sync" as const,
      size: SIZE,
      ...(version !== undefined && { version }),
    });
    expect(await reload(opened, settings(USERS), [])).toMatchObject({ needsYes: false });
    const users: object[] = [...USERS];
    users.unshift({ username: "first" });
    users[1_000] = { username: "u999", groups: [] };
    users.splice(1_500, 1);
    const passed: number[] = [];
    const { changes } = await reload(opened, settings(users), passed);
    expect(changes?.map(({ action, kind, name }) => `${action} ${kind} ${name}`).sort()).toEqual([
      "add user first",
      "remove membership u999 in G",
      "remove user u1499",
    ]);
    expect(passed.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_200);
    // Under other rules, and after somebody else wrote, each piece is compared.
    const none: number[] = [];
    await reload(opened, settings(users, "2"), none);
    await opened.directory.groups.removeMember("G", "u5");
    expect((await reload(opened, settings(users, "2"), none)).changes).toHaveLength(1);
    expect(none).toEqual([]);
    expect((await reload(opened, settings(users, "2"), none)).changes).toEqual([]);
    expect(none.length).toBeGreaterThan(10);
    await opened.close();
  },
);

it("refuses a sync that removes more than half, as if it had compared everything", async () => {
  const opened = await openTestDirectory();
  const settings = (users: readonly object[]) => ({
    files: [folder.write("crowd.json", { format: 1, groups: [{ name: "G" }], users })],
    mode: "sync" as const,
    size: SIZE,
  });
  await reload(opened, settings(USERS), []);
  const passed: number[] = [];
  expect(await reload(opened, settings(USERS.slice(0, 400)), passed)).toMatchObject({ code: "conflict" });
  // Of the pieces that are compared nearly everything goes, of all of them little.
  const emptied = USERS.map((user, index) => (index < 150 ? { username: user.username } : user));
  expect((await reload(opened, settings(emptied), passed)).changes).toHaveLength(150);
  await opened.close();
});

it.each([
  ["of the same length", { ...USERS[0], groups: ["H"] }],
  ["of another length", { ...USERS[0], groups: ["G", "H"] }],
])("refuses a file that becomes another one %s between its readings", async (_, changed) => {
  const opened = await openTestDirectory();
  const write = (users: readonly object[]) =>
    folder.write("read-twice.json", { format: 1, groups: [{ name: "G" }, { name: "H" }], users });
  const settings = (users: readonly object[]) => ({
    files: [write(users)],
    mode: "sync" as const,
    size: SIZE,
  });
  await reload(opened, settings(USERS), []);
  const before = await stateOf(opened);
  const passed: number[] = [];
  const change = () => write([changed, ...USERS.slice(1)]);
  // Its last piece is another one, so that it is loaded at all; the first one is in force.
  const outcome = await reload(opened, settings([...USERS, { username: "last" }]), passed, change);
  expect(outcome).toMatchObject({ code: "conflict" });
  expect(passed.length).toBeGreaterThan(10);
  expect(await stateOf(opened)).toEqual(before);
  await opened.close();
});
