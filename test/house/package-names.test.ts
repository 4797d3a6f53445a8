/** Nobody is told to install a name that is not ours: the packages are those of our scope. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const FILES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.(md|ya?ml|json|ts|mjs|cjs|js|service|sh)$|Dockerfile$/.test(file))
  .filter((file) => !/^(package-lock\.json|test\/)/.test(file));

const INSTALL =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun|deno) (?:i|install|add|exec|dlx|x))\b(?: -\S+)* (?:npm:)?(?:svc-authorizer|svcctl)(?![\w./-])/g;

it("stands nowhere", () => {
  const found = FILES.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(INSTALL)].map(([text]) => `${file}: ${text}`),
  );
  expect(FILES.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

it.each([
  "npm install --global svc-authorizer",
  "npx svcctl",
  "npm i -g svc-authorizer@0.2.0",
  "deno add npm:svc-authorizer",
])("would be found: %s", (text) => expect(text.match(INSTALL)).toHaveLength(1));

it.each([
  "npm install --global @svc-authorizer/server",
  "npm install ./server.tgz",
  "npm run svc-authorizer",
])("is ours: %s", (text) => expect(text.match(INSTALL)).toBeNull());
