/** Every configuration that a page shows is one that the service takes, without a warning. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMPLETE, ConfigFolder, KEY, loadText } from "./config-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** The pages whose blocks of YAML configure the service; `gateways.md` and `data-server.md` have others, too. */
const PAGES = [
  "README.md",
  "docs/data-server.md",
  "docs/decision-log.md",
  "docs/gateways.md",
  "docs/high-availability.md",
  "docs/identity-providers.md",
  "docs/sign-in.md",
  "docs/one-key.md",
  "docs/mirroring.md",
  "docs/testing.md",
];

/** The rest of the reader's configuration: what a block does not say. */
const MACHINE = { ...COMPLETE, SVC_AUTHORIZER_USER_LISTEN_ADDRESS: "127.0.0.1:8000" };

/** Programs of others that a page configures, by what their configuration begins with. */
const OTHERS = /^(static_resources|http|entryPoints):/;

/** The block as a reader fills it in: secrets for dots, and files in a folder of his own. */
function filledIn(block: string): string {
  const token = new ConfigFolder().write("token", "token-of-a-file-0123456789abcdef01");
  return block
    .replaceAll("AKIAJ…Q", "AKIAJ23456789ABCDEFQ")
    .replaceAll(/"?…"?/g, KEY)
    .replaceAll(/\/etc\/svc-authorizer\/\w+\.token/g, token);
}

const blocks = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^( *)```yaml\n([\s\S]*?)^\1```$/gm)]
    .map(([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""))
    .filter((block) => !OTHERS.test(block))
    .map((block) => ({ page, block }));
});

describe("a configuration of a page", () => {
  it("is there in each page", () => {
    expect([...new Set(blocks.map(({ page }) => page))]).toEqual(PAGES);
    expect(blocks.length).toBeGreaterThan(12);
  });

  it.each(blocks)("of $page is taken without a warning: $block", ({ block }) => {
    const { warnings } = loadText(filledIn(block), { env: MACHINE });
    expect(warnings).toEqual([]);
  });
});
