import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { auditingUnknownOnce } from "../../src/compose/store/offline-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

describe("a write of a command", () => {
  const run = async (write: () => Promise<string>) => {
    const file = join(temporaryFolder(), "audit.log");
    const values = { "authorizer.audit.output": file } as never;
    const asked = { what: "superuser", admin: "alice" };
    const result = await auditingUnknownOnce(values, "setup", asked, write).catch((error: unknown) => error);
    const lines = existingLines(file)
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { result, lines };
  };

  it("is audited as unknown if nobody knows whether it happened", async () => {
    const error = new AuthorizerError("outcome_unknown", "it may have happened");
    const { result, lines } = await run(() => Promise.reject(error));
    expect(result).toBe(error);
    const event = { actor: "command line", what: "superuser", admin: "alice", outcome: "unknown" };
    expect(lines).toEqual([expect.objectContaining(event)]);
  });

  it.each([
    ["happened, which the command audits itself", () => Promise.resolve("made")],
    ["was refused", () => Promise.reject(new AuthorizerError("conflict", "there is one"))],
  ])("is not if it %s", async (_, write) => {
    expect((await run(write)).lines).toEqual([]);
  });
});

function existingLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
