import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decidedBy, openTestLog } from "../decision-log/test-log.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { RecordCheck, secretsInSources } from "./find-secrets.ts";

const PLANTED_SECRET = "planted-secret-0123456789";

/** The segments that this run has kept so far. */
function kept(): string {
  const folder = process.env["KEPT_RECORDS"] as string;
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}

async function record(user: string, mask: readonly string[] = []): Promise<string> {
  const directory = temporaryFolder();
  const log = await openTestLog(directory, { mask });
  log.decided(decidedBy(user, "r"));
  await log.close();
  return readFileSync(join(directory, "n1-0", "0000000001.jsonl"), "utf8");
}

const check = new RecordCheck(secretsInSources(join(import.meta.dirname, "..", "..")));

describe("the records of all tests", () => {
  it("are kept, also of logs whose folder the test removes", async () => {
    const text = await record("kept-user");
    expect(text).toContain("kept-user");
    expect(kept()).toContain(text);
  });

  it("are found faulty for secrets that test sources name", async () => {
    // Read and changed here only: a kept record with the secret would fail the run.
    const text = (await record("a-user")).replaceAll("a-user", PLANTED_SECRET);
    expect(check.faultsOf(text)).toEqual([expect.stringContaining("a secret of the tests")]);
  });

  it.each([
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0xx.c2lnbmF0dXJl"],
    ["32 random bytes, as keys and tokens have them", "x".repeat(43)],
    ["the secret of an access key", "z".repeat(40)],
    ["credentials of a header", "Bearer abcdefghijklmnop"],
    ["the hash of a password", "$2a$10$abcdefghijkl"],
    ["a private key", "BEGIN PRIVATE KEY"],
  ])("are found faulty for %s", async (name, secret) => {
    const text = (await record("a-user")).replaceAll("a-user", secret);
    expect(check.faultsOf(text)).toEqual([expect.stringContaining(name)]);
  });

  it("are found faulty for a member that the schema does not know, and for a masked value that shows", async () => {
    const text = await record("a-user");
    expect(check.faultsOf(text)).toEqual([]);
    const body = text.replace('"decision":', '"body":{"a":1},"decision":');
    expect(check.faultsOf(body)).toEqual([expect.stringContaining("not as the schema says")]);
    const masked = await record("a-user", ["/subject/id"]);
    expect(check.faultsOf(masked)).toEqual([]);
    expect(check.faultsOf(masked + text)).toEqual([
      expect.stringContaining("/subject/id is masked elsewhere"),
    ]);
  });
});
