/** docs/access-review.md: each command does what the page shows, with a service that records every decision. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PageReader } from "../page-reader.ts";
import { type ShownCommand, type Step, stepsOf } from "../page-steps.ts";

const DOCS = join(import.meta.dirname, "..", "..", "..", "docs");
const stepsOfPage = (page: string): Step[] => stepsOf(readFileSync(join(DOCS, page), "utf8"));

/** The programs as they are called where they are installed. */
const PROGRAMS = 'svcctl() { PATH="$PWD/node_modules/.bin:$PATH" node packages/svcctl/bin/svcctl.cjs "$@"; }';

const firstSteps = stepsOfPage("first-steps.md").filter((step) => step.kind === "command");
const commandOf = (begin: RegExp): ShownCommand => {
  const found = firstSteps.find(({ command }) => begin.test(command));
  if (found === undefined) throw new Error(`first-steps.md has no ${begin}`);
  return found;
};
const isStart = (step: Step): boolean => step.kind === "command" && step.command.endsWith("npm start");
const steps = stepsOfPage("access-review.md");

let reader: PageReader;
beforeAll(async () => {
  reader = new PageReader();
  await reader.paste(PROGRAMS);
  const start = steps.find(isStart);
  // The page starts the service of the first steps, with one variable more.
  const { shown, happened } = await reader.start({
    ...commandOf(/^npm start$/),
    command: start?.kind === "command" ? start.command : "",
  });
  expect(happened).toEqual(shown);
  await reader.run(commandOf(/ setup /));
});
afterAll(() => reader?.machine.destroy());

describe("docs/access-review.md", () => {
  it("starts a service that records every decision", () => {
    expect(steps.filter(isStart)).toMatchObject([
      { command: "SVC_AUTHORIZER_DECISION_LOG_INCLUDE=all npm start" },
    ]);
  });

  for (const [index, step] of steps.entries()) {
    if (step.kind === "interrupt" || isStart(step)) continue;
    const text = step.kind === "command" ? step.command : step.text;
    it(`step ${index + 1}: ${text.split("\n")[0]}`, async () => {
      if (step.kind === "paste") {
        expect(await reader.paste(step.text)).toEqual({ code: 0, output: "" });
        return;
      }
      const { shown, happened } = await reader.run(step);
      expect(happened).toEqual(shown);
    });
  }
});
