/** docs/first-steps.md, as somebody new goes through it: every command, in order, in a shell, from a clean copy. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PageReader } from "./page-reader.ts";
import { type ShownCommand, stepsOf } from "./page-steps.ts";

const PAGE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "first-steps.md"), "utf8");
const STEPS = stepsOf(PAGE);

let reader: PageReader;
let filesBefore: string[];

beforeAll(() => {
  reader = new PageReader();
  filesBefore = files();
});
afterAll(() => reader?.machine.destroy());

/** The files on the machine, without caches and the build of the console, which git ignores. */
function files(): string[] {
  const { clone, home } = reader.machine;
  return [...readdirSync(clone).map((name) => `clone/${name}`), ...readdirSync(home)]
    .filter((name) => ![".cache", ".npm", "clone/console"].includes(name))
    .sort();
}

/** The command did what the page shows. */
async function follow(step: ShownCommand): Promise<void> {
  const { shown, happened } = await (step.command === "npm start" ? reader.start(step) : reader.run(step));
  expect(happened).toEqual(shown);
}

describe("docs/first-steps.md", () => {
  it("goes from a clone to a clean machine", () => {
    const commands = STEPS.flatMap((step) => (step.kind === "command" ? [step.command] : []));
    expect(commands.slice(0, 2)).toEqual(["npm ci", "npm start"]);
    const steps = [
      "setup",
      "config",
      "users create",
      "policies create",
      "attach",
      "credentials create",
      "can",
      "diff",
    ];
    for (const step of steps) expect(commands.join("\n")).toContain(` ${step} `);
    expect(STEPS.slice(-2).map(({ kind }) => kind)).toEqual(["interrupt", "paste"]);
  });

  it("begins as README.md does, with the same first decision", () => {
    const readme = readFileSync(join(import.meta.dirname, "..", "..", "README.md"), "utf8");
    expect(/^```sh\n(npm ci\n[\s\S]*?)^```$/m.exec(readme)?.[1]).toBe("npm ci\nnpm start\n");
    const [, curl = "no command"] = /^\$ (curl .*)$/m.exec(readme) ?? [];
    expect(PAGE).toContain(`\n${curl}\n`);
  });

  for (const [index, step] of STEPS.entries()) {
    const name =
      step.kind === "command" ? step.command : step.kind === "paste" ? step.text.split("\n")[0] : "^C";
    it(`step ${index + 1}: ${name}`, async () => {
      const { machine } = reader;
      if (step.kind === "interrupt") await machine.interrupt();
      else if (step.kind === "paste") expect(await reader.paste(step.text)).toEqual({ code: 0, output: "" });
      else if (step.command === "npm ci") expect(existsSync(join(machine.clone, "node_modules"))).toBe(true);
      else await follow(step);
      for (const file of [
        join(machine.home, ".svcctl.yaml"),
        join(machine.clone, ".svc-authorizer", "eva.yaml"),
      ]) {
        if (existsSync(file)) expect(statSync(file).mode & 0o777).toBe(0o600);
      }
    });
  }

  it("leaves nothing behind", () => {
    expect(files()).toEqual(filesBefore);
  });
});
