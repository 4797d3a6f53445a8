import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { loadDatasets } from "../../src/datasets/load-datasets.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";

interface ExpectedProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer: string;
  /** Part of the message, where it is this room's. */
  readonly says?: string;
}

interface Case {
  readonly files: readonly string[];
  readonly problems: readonly ExpectedProblem[];
}

const FOLDER = "fixtures/datasets/invalid";
const cases: readonly Case[] = JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8"));

const opened = await closedAfterAll(openTestDirectory());

it("every invalid data set has its expectation", () => {
  const files = readdirSync(FOLDER).filter((name) => name !== "expected.json");
  expect(cases.flatMap((one) => one.files).sort()).toEqual(files.sort());
});

it.each(cases.map((one) => ({ ...one, name: one.files.join(" and ") })))(
  "$name: every problem at once, with file, line, column and pointer, and nothing is loaded",
  async ({ files, problems }) => {
    const paths = files.map((file) => join(FOLDER, file));
    const load = loadDatasets({ ...opened, files: paths, mode: "load", env: () => undefined });
    const error = await load.then(() => undefined).catch((reason: unknown) => reason);
    if (!(error instanceof AuthorizerError)) throw new Error("not refused");
    expect(error.code).toBe("invalid_request");
    const found = error.problems.map(({ message: _message, ...place }) => place);
    expect(found).toEqual(
      problems.map(({ says: _says, file, ...place }) => ({ file: join(FOLDER, file), ...place })),
    );
    for (const [index, { says = "" }] of problems.entries())
      expect(error.problems[index]?.message).toContain(says);
    expect(JSON.stringify([error.message, error.problems])).not.toContain("not-a-secret");
    const state = await opened.directory.batches.state({ secrets: false });
    expect([state.users.size, state.groups.size, state.policies.size]).toEqual([0, 0, 0]);
  },
);
