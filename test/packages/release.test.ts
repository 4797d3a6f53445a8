/** Notes of changes, and what a release asks of its workflow. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeFiles, readChanges, withRelease } from "../../build/changes.ts";
import { publishProblems } from "../../build/workflow-publishes.ts";

const ROOT = join(import.meta.dirname, "..", "..");

describe("the notes of changes", () => {
  it("of this clone can be gathered", () => {
    const { changes, problems } = readChanges(changeFiles());
    expect(problems).toEqual([]);
    const changelog = withRelease(
      readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"),
      changes,
      "99.0.0",
      "2026-01-05",
    );
    expect(changelog).toContain("## [Unreleased]\n\n## [99.0.0] - 2026-01-05\n");
    for (const { text } of changes) expect(changelog).toContain(text.split("\n")[0]);
  });

  it("stand under the heading of their kind, before what is there, and nothing else changes", () => {
    const { changes, problems } = readChanges(
      new Map([
        ["fixed-b.md", "Two\nlines.\n"],
        ["added-a.md", "An operator."],
        ["README.md", "# Changes"],
      ]),
    );
    expect(problems).toEqual([]);
    const before =
      "# Changelog\n\n## [Unreleased]\n\nSee upgrade.\n\n### Added\n\n- Old.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n";
    expect(withRelease(before, changes, "0.2.0", "2026-01-05")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-05\n\nSee upgrade.\n\n### Added\n\n- An operator.\n- Old.\n\n### Fixed\n\n- Two\n  lines.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n",
    );
  });

  it.each([
    ["new-thing.md", "A thing.", /the name begins with added-, /],
    ["added-thing.txt", "A thing.", /ends in \.md/],
    ["added-thing.md", " \n", /one entry is expected/],
    ["added-thing.md", "- A thing.", /without dash/],
    ["added-thing.md", "line\n".repeat(11), /more than 10 lines/],
  ])("%s with %j is refused", (name, content, message) => {
    const { changes, problems } = readChanges(new Map([[name, content]]));
    expect(changes).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(message)]);
  });
});

describe("the workflow of releases", () => {
  const NAMES = ["client", "server", "svcctl", "svcctl-metastore", "testing"];
  const WORKFLOW = readFileSync(join(ROOT, ".github", "workflows", "release.yml"), "utf8");

  it("publishes every package with provenance", () => {
    expect(publishProblems(WORKFLOW, NAMES)).toEqual([]);
  });

  it.each([
    ["without provenance", " --provenance", "", /lacks --provenance/],
    ["without the right to sign", "id-token: write", "id-token: none", /id-token: write/],
    ["without a package", "svcctl-metastore testing", "testing", /the packages are client, server/],
    ["that publishes nothing", "npm publish", "npm pack", /one step with npm publish is expected/],
  ])("%s is refused", (_title, from, to, message) => {
    expect(WORKFLOW).toContain(from);
    expect(publishProblems(WORKFLOW.replace(from, to), NAMES)).toEqual([expect.stringMatching(message)]);
  });
});
