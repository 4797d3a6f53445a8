/** The application of one's own in docs/first-steps.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { openedOnce } from "../opened.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FILE = join(ROOT, "examples", "shop", "shop.yaml");
const PAGE = readFileSync(join(ROOT, "docs", "first-steps.md"), "utf8");

/** The fenced block of the section that is in a language. */
function block(language: string): string {
  const section = PAGE.slice(PAGE.indexOf("## Your own application"));
  return section.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
}

describe("docs/first-steps.md, an application of one's own", () => {
  const authorizer = openedOnce(() => startAuthorizer({ dataset: FILE }));

  it("shows the data set of the example", () => {
    expect(readFileSync(FILE, "utf8").replace(/^#.*\n/, "")).toBe(block("yaml"));
  });

  it("asks a question that is allowed for the owner, and for nobody else", async () => {
    const question = JSON.parse(block("json"));
    expect(await authorizer.client.evaluate(question)).toMatchObject({ decision: true });
    const other = { ...question, subject: { type: "user", id: "jon" } };
    expect(await authorizer.client.evaluate(other)).toMatchObject({ decision: false });
  });
});
