/** Answers of a data server do not steer the terminal of whoever asked: recorded ones, each text with such signs. */

import { expect, it, onTestFinished } from "vitest";
import { readFixture } from "../../../test/read-fixture.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { type Conversation, placeFiles, playServer } from "./conversation.ts";
import { svcctl } from "./run-svcctl.ts";

/** Clears a screen, turns the direction of writing, begins another line. */
const STEERING = "\u001b[2J\u202ex\u0007\nq\rz";
/** Commands that print a content as it is. */
const CONTENTS = /^(fs cat|refs-dump)/;

const { conversations } = readFixture<{ conversations: Conversation[] }>(
  "conversations/data-server-commands.json",
);
const ASKING = conversations
  .filter(({ args, exchanges }) => exchanges.length > 0 && !CONTENTS.test(args.join(" ")))
  .map((one, index) => ({ ...one, title: `${index + 1}: ${one.args.join(" ")}` }));

/** The value with the signs at the end of each of its texts. */
function hostile(value: unknown): unknown {
  if (typeof value === "string") return value + STEERING;
  if (Array.isArray(value)) return value.map(hostile);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one)]));
}

it.each(ASKING)("$title", async ({ args, stdin, files, exchanges }) => {
  const cwd = temporaryFolder();
  placeFiles(cwd, files);
  const answers = exchanges.map((one) =>
    /^[[{]/.test(one.answer) ? { ...one, answer: JSON.stringify(hostile(JSON.parse(one.answer))) } : one,
  );
  const server = await playServer(answers);
  onTestFinished(server.close);
  const { stdout, stderr } = await svcctl(
    args.map((arg) => arg.replaceAll("{folder}", cwd)),
    {
      cwd,
      ...(stdin !== undefined && { stdin }),
      env: {
        SVCCTL_SERVER_ENDPOINT_URL: server.url,
        SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
        SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "a-secret-for-tests",
        SVCCTL_SERVER_RETRIES_ENABLED: "false",
        HOME: cwd,
        PATH: process.env["PATH"],
      },
    },
  );
  const printed = (stdout + stderr).split(/[\n\t]/).join("");
  expect(printed).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/v);
  expect(stdout + stderr).not.toContain("internal error");
});
