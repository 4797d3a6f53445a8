/** docs/first-steps.md, as somebody new goes through it: every command, in order, in a shell, from a clean copy. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NewMachine } from "./new-machine.ts";
import { type ShownCommand, stepsOf } from "./page-steps.ts";

const PAGE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "first-steps.md"), "utf8");
const STEPS = stepsOf(PAGE);

let machine: NewMachine;
let filesBefore: string[];
/** Addresses of the page, and what they are here. */
const addresses = new Map<string, string>();
/** The key that was shown last. */
const key = { id: "", secret: "" };

beforeAll(() => {
  machine = new NewMachine();
  filesBefore = files();
});
afterAll(() => machine?.destroy());

function files(): string[] {
  return [...readdirSync(machine.clone).map((name) => `clone/${name}`), ...readdirSync(machine.home)].sort();
}

function here(text: string): string {
  return [...addresses].reduce((now, [page, actual]) => now.replaceAll(page, actual), text);
}

/** The text without what is different in each run. */
function steady(text: string): string {
  return [...addresses]
    .reduce((now, [page, actual]) => now.replaceAll(actual, page), text.replaceAll(machine.root, ""))
    .replace(/AKIAJ[A-Z0-9]{14}Q/g, "KEY")
    .replace(/(Secret Access Key: )\S{40}/g, "$1SECRET")
    .replace(/(setup token )[\w-]{43}/g, "$1TOKEN")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, "DATE")
    .replace(/\bd-[0-9a-f]{12}-\d+/g, "DECISION");
}

/** What somebody types or pastes at a question of the page. */
function answer(question: string): string {
  if (question.includes("Access key ID")) return key.id;
  if (question.includes("Secret access key")) return key.secret;
  return here(question.split(" ").at(-1) ?? "");
}

async function start({ command, output }: ShownCommand): Promise<void> {
  const said = await machine.start(command);
  const urls = (text: string): string[] => (/^ready .*$/m.exec(text)?.[0] ?? "").match(/http:[^ ]+/g) ?? [];
  expect(urls(output)).toHaveLength(3);
  for (const [index, page] of urls(output).entries()) addresses.set(page, urls(said)[index] ?? "");
  expect(steady(said).trimEnd()).toBe(steady(output));
}

async function run({ command, output, code, questions }: ShownCommand): Promise<void> {
  const input = questions.map((question) => `${answer(question)}\n`).join("");
  const ran = await machine.run(here(command), input);
  expect({ output: steady(ran.output).trimEnd(), code: ran.code }).toEqual({ output: steady(output), code });
  const [, id, secret] = /Access Key ID: +(\S+)\nSecret Access Key: (\S+)/.exec(ran.output) ?? [];
  if (id !== undefined && secret !== undefined) Object.assign(key, { id, secret });
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
      if (step.kind === "interrupt") await machine.interrupt();
      else if (step.kind === "paste") expect(await machine.run(step.text)).toEqual({ code: 0, output: "" });
      else if (step.command === "npm ci") expect(existsSync(join(machine.clone, "node_modules"))).toBe(true);
      else if (step.command === "npm start") await start(step);
      else await run(step);
      for (const file of [
        join(machine.home, ".svcctl.yaml"),
        join(machine.clone, ".svc-authorizer", "eva.yaml"),
      ]) {
        if (existsSync(file)) expect(statSync(file).mode & 0o777).toBe(0o600);
      }
    });
  }

  it("leaves nothing behind", () => {
    expect(files().filter((name) => ![".cache", ".npm"].includes(name))).toEqual(filesBefore);
  });
});
