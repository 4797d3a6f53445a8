/** Answers of a data server do not steer the terminal of whoever asked: recorded ones, each text with such signs. */

import { expect, it } from "vitest";
import { readFixture } from "../../../test/read-fixture.ts";
import type { Conversation } from "./conversation.ts";
import { playConversation } from "./play-conversation.ts";

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

it.each(ASKING)("$title", async (one) => {
  const exchanges = one.exchanges.map((exchange) =>
    /^[[{]/.test(exchange.answer)
      ? { ...exchange, answer: JSON.stringify(hostile(JSON.parse(exchange.answer))) }
      : exchange,
  );
  const { stdout, stderr } = await playConversation({ ...one, exchanges });
  const printed = (stdout + stderr).split(/[\n\t]/).join("");
  expect(printed).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/v);
  expect(stdout + stderr).not.toContain("internal error");
});
