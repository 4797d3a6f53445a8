import { expect, it } from "vitest";
import { commitId } from "../../src/mirroring/commit-identity.ts";

const COMMIT = {
  committer: "Committer",
  message: "message",
  metaRangeId: "metarangeId",
  creationDate: 1_000_000_000,
  parents: ["parent1", "parent2"],
  metadata: { key: "value" },
};

it("the id of a commit is that of the data server's own test", () => {
  expect(commitId(COMMIT)).toBe("0c5f9d6fde638a6aa82840caf2485bdbe6ad0fc3f220ea88884df9ed99d7cf19");
});

it.each([
  { committer: "Committe" },
  { message: "rmessage" },
  { metaRangeId: "" },
  { creationDate: 1_000_000_001 },
  { parents: ["parent2", "parent1"] },
  { parents: [] },
  { metadata: {} },
  { metadata: { key: "value", more: "" } },
])("every part of a commit is in its id: %j", (part) => {
  expect(commitId({ ...COMMIT, ...part })).not.toBe(commitId(COMMIT));
});

it("metadata is ordered by bytes", () => {
  const ids = [
    { "\u{1f600}": "1", "\ufb00": "2" },
    { "\ufb00": "2", "\u{1f600}": "1" },
  ].map((metadata) => commitId({ ...COMMIT, metadata }));
  expect(ids[0]).toBe(ids[1]);
});
