/** Pages of commands besides the first steps: each command does what its page shows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOT_EXECUTED } from "../house/command-blocks.ts";
import { PageReader } from "./page-reader.ts";
import { type Step, stepsOf } from "./page-steps.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

/** The steps of a page, without what the table of command blocks exempts. */
function stepsOfPage(page: string): Step[] {
  const exempt = NOT_EXECUTED.filter((row) => row.page === `docs/${page}`);
  const text = (step: Step): string => (step.kind === "paste" ? step.text : "");
  return stepsOf(readFileSync(join(DOCS, page), "utf8")).filter(
    (step) => !exempt.some(({ begins }) => text(step).startsWith(begins)),
  );
}

/** Pages for readers whose service of the quick start runs, with svcctl set up for its administrator. */
const WITH_SERVICE = ["svcctl.md", "policy-as-code.md", "data-server-api.md", "management-api.md"];
/** Pages for readers who work on a store of their own, without a service. */
const WITHOUT_SERVICE = ["datasets.md", "operations.md", "recipes.md"];
/** The two programs as they are called where they are installed. */
const PROGRAMS = `
svcctl() { PATH="$PWD/node_modules/.bin:$PATH" node packages/svcctl/bin/svcctl.cjs "$@"; }
svc-authorizer() { PATH="$PWD/node_modules/.bin:$PATH" node bin/svc-authorizer.cjs "$@"; }`;

let reader: PageReader;
beforeAll(async () => {
  reader = new PageReader();
  await reader.paste(PROGRAMS);
});
afterAll(() => reader?.machine.destroy());

async function follow(step: Step): Promise<void> {
  if (step.kind === "interrupt") return reader.machine.interrupt();
  if (step.kind === "paste") return expect(await reader.paste(step.text)).toEqual({ code: 0, output: "" });
  const { shown, happened } = await (step.command === "npm start" ? reader.start(step) : reader.run(step));
  expect(happened).toEqual(shown);
}

function nameOf(step: Step, index: number): string {
  const text = step.kind === "command" ? step.command : step.kind === "paste" ? step.text : "^C";
  return `step ${index + 1}: ${text.split("\n")[0]}`;
}

function followPage(page: string): void {
  describe(`docs/${page}`, () => {
    for (const [index, step] of stepsOfPage(page).entries()) it(nameOf(step, index), () => follow(step));
  });
}

describe("without a service", () => {
  for (const page of WITHOUT_SERVICE) followPage(page);
});

describe("with the service of the quick start", () => {
  beforeAll(async () => {
    for (const step of stepsOfPage("first-steps.md")) {
      if (step.kind !== "command" || !/^npm (start|run .*setup)/.test(step.command)) continue;
      await follow(step);
    }
    const { id, secret } = reader.key;
    await reader.paste(`ACCESS_KEY_ID=${id} SECRET_ACCESS_KEY=${secret}`);
  });
  for (const page of WITH_SERVICE) followPage(page);
});
