/** The part of docs/first-steps.md about an application of the reader's own, word by word with the program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { greetingBlock } from "../../src/cli/run/start-greeting.ts";
import { NewMachine } from "./new-machine.ts";

const PAGE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "first-steps.md"), "utf8");
const SECTION = PAGE.slice(PAGE.indexOf("## Your own application"));
const QUESTION = JSON.parse(/```json\n(.*?)```/s.exec(SECTION)?.[1] ?? "{}");

let machine: NewMachine;
let curl = "";
beforeAll(async () => {
  machine = new NewMachine();
  const [, start = "false"] = /`(npm start -- [^`]+)`/.exec(SECTION) ?? [];
  curl = /^curl .*$/m.exec(await machine.start(start))?.[0] ?? "false";
});
afterAll(() => machine?.destroy());

/** Runs the printed command with the question of the page after `-d`. */
async function ask(user: string): Promise<unknown> {
  const question = { ...QUESTION, subject: { ...QUESTION.subject, id: user } };
  const { code, output } = await machine.run(
    curl.replace(/-d '[^']*'/, () => `-d '${JSON.stringify(question)}'`),
  );
  expect([code, output]).toEqual([0, expect.stringMatching(/^\{/)]);
  return JSON.parse(output);
}

describe("an application of one's own", () => {
  it("gets the answers that the page names", async () => {
    expect(SECTION).toContain(JSON.stringify(await ask("ina")));
    expect(await ask("jon")).toMatchObject({ decision: false });
  });

  it("is not greeted with a question about users of the quick start", () => {
    const started = (hasOwnDatasets: boolean) =>
      greetingBlock({
        version: "0.0.0",
        addresses: {
          service: "http://127.0.0.1:1",
          user: "http://127.0.0.1:2",
          metrics: "http://127.0.0.1:3",
        },
        setup: undefined,
        quickstart: { tokenFile: "/home/you/token", data: undefined, hasOwnDatasets },
        env: {},
        cwd: "/home/you",
      });
    expect(started(true)).toContain("Ask like this, with names of your data set:\ncurl ");
    expect(started(true)).not.toContain("may alice");
    expect(started(false)).toContain("Try: may alice read this object?\ncurl ");
  });
});
