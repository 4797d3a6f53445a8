/** The testing package alone in an empty folder: with `node:test`, with vitest, and with a strict compiler. */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CLONE_BIN, type Consumer, checkTarball, command, installPackages, ROOT } from "./installed.ts";

let consumer: Consumer;
beforeAll(() => {
  consumer = installPackages("testing");
});
afterAll(() => consumer.remove(), 120_000);

const write = (name: string, text: string): void => writeFileSync(join(consumer.folder, name), text);

const BODY = `
let authorizer;
before(async () => {
  authorizer = await startAuthorizer({ dataset: { format: 1, preconfigured: true, users: [{ username: "viewer", groups: ["Viewers"] }] } });
});
after(() => authorizer.close());

it("lets viewers read and not write", async () => {
  const object = "arn:svc:fs:::repository/r/object/o";
  assert.equal(await authorizer.client.allows("viewer", "fs:ReadObject", object), true);
  assert.equal(await authorizer.client.allows("viewer", "fs:WriteObject", object), false);
});`;

it("has the files that the service finds by their places, threads among them", () => {
  const folder = join(consumer.folder, "node_modules", "@svc-authorizer", "testing");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  const places = sources.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    return [...text.matchAll(/\bnew URL\("(\.[^"]+)", import\.meta\.url\)/g)].map(([, place = ""]) =>
      join(folder, dirname(name), place),
    );
  });
  expect(places.length).toBeGreaterThan(5);
  expect(places.filter((place) => !existsSync(place) && !existsSync(`${place}.js`))).toEqual([]);
});

it("works with node:test", () => {
  write(
    "roles.test.mjs",
    `import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startAuthorizer } from "@svc-authorizer/testing";
${BODY}`,
  );
  expect(command(consumer.folder, "node", "--test", "roles.test.mjs")).toMatch(/pass 1\b[\s\S]*fail 0\b/);
});

it("works with vitest", () => {
  // The runner is the clone's; what is tested is the package beside it.
  symlinkSync(join(ROOT, "node_modules", "vitest"), join(consumer.folder, "node_modules", "vitest"));
  write(
    "roles.spec.mjs",
    `import assert from "node:assert/strict";
import { afterAll as after, beforeAll as before, it } from "vitest";
import { startAuthorizer } from "@svc-authorizer/testing";
${BODY}`,
  );
  expect(command(consumer.folder, join(CLONE_BIN, "vitest"), "run", "roles.spec.mjs")).toContain("1 passed");
});

it("runs the tests that the pages show", () => {
  cpSync(join(ROOT, "fixtures", "datasets"), join(consumer.folder, "fixtures", "datasets"), {
    recursive: true,
  });
  const blockOf = (page: string): string =>
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, page), "utf8"))?.[1] ?? "";
  write("page.spec.ts", blockOf("docs/testing.md"));
  const first = blockOf("README.md");
  expect(first).toMatch(/^import .*\n/);
  const body = first
    .replace(/^import .*\n/, "")
    .replace(/^(await .*allows\(.*\)); \/\/ true$/m, "expect($1).toBe(true);");
  expect(body).toContain("toBe(true)");
  write(
    "readme.spec.ts",
    `import { expect, it } from "vitest";\n${/^import .*\n/.exec(first)}it("does what it says", async () => {${body}});`,
  );
  const runner = join(CLONE_BIN, "vitest");
  const output = command(consumer.folder, runner, "run", "page.spec.ts", "readme.spec.ts");
  // CI forces colours, which stand between the words.
  expect(stripVTControlCharacters(output)).toMatch(/Tests\s+2 passed/);
});

it("has types that a strict TypeScript project can use", () => {
  write(
    "use.ts",
    `import { startAuthorizer } from "@svc-authorizer/testing";
      const { url }: { readonly url: string } = await startAuthorizer({ dataset: { format: 1 } });
      // @ts-expect-error the kit has no such option
      await startAuthorizer({ datasett: {} });
      export { url };`,
  );
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const types = ["--typeRoots", join(ROOT, "node_modules", "@types"), "--skipLibCheck"];
  expect(command(consumer.folder, join(CLONE_BIN, "tsc"), ...options, ...types, "use.ts")).toBe("");
});

it("is a package that its registry and compilers understand", () => {
  checkTarball(consumer, "testing");
});
