/** Commands against what a real data server answered: they ask the same, and print the same. */
import { describe, expect, it } from "vitest";
import { readFixture } from "../../../test/read-fixture.ts";
import { type Conversation, withoutRandomNames } from "./conversation.ts";
import { playConversation } from "./play-conversation.ts";

const { conversations } = readFixture<{ conversations: Conversation[] }>(
  "conversations/data-server-commands.json",
);

const TITLED = conversations.map((one, index) => ({ ...one, title: `${index + 1}: ${one.args.join(" ")}` }));

/** Durations, rates and the order of files that are moved at once are of the run, not of the conversation. */
function withoutTimes(text: string): string {
  return text
    .replace(/(?:^.* \.\.\. done!\n)+/gm, (lines) => lines.split("\n").sort().join("\n"))
    .replace(/current rate: [\d.]+/g, "current rate: N")
    .replace(/in [\d.]+s$/gm, "in Ns")
    .replace(/^[\d.]+ (successes|failures)\/s$/gm, "N $1/s")
    .replace(/^(p?[\d.]+|min|max)\t[\d.]+$/gm, "$1\tN");
}

async function play(one: Conversation, before: string[] = []) {
  process.env["TZ"] = "UTC";
  const { cwd, server, ...ran } = await playConversation(one, before);
  const placed = (text: string) =>
    withoutTimes(withoutRandomNames(text.replaceAll(cwd, "{folder}").replaceAll(server.url, "{server}")));
  return { code: ran.code, stdout: placed(ran.stdout), stderr: placed(ran.stderr), raw: ran.stdout, server };
}

describe("svcctl asks and prints as it did with a real data server", () => {
  it.each(TITLED)("$title", async ({ title: _, ...one }) => {
    const { server, raw: __, ...ran } = await play(one);
    expect(server.strange).toEqual([]);
    expect(ran).toEqual({
      code: one.code,
      stdout: withoutTimes(one.stdout),
      stderr: withoutTimes(one.stderr),
    });
    expect(server.left).toEqual([]);
  });
});

/** Commands whose output is a content, or has an option of that name. */
const CONTENTS = /^(fs cat|refs-dump|gc get-config .* --json|abuse create-branches|bisect reset)/;

describe("for programs", () => {
  it.each(TITLED.filter(({ code, args }) => code === 0 && !CONTENTS.test(args.join(" "))))(
    "it prints one JSON document: $title",
    async ({ title: _, ...one }) => {
      const { code, raw } = await play(one, ["-o", "json"]);
      expect(code).toBe(0);
      expect(() => JSON.parse(raw)).not.toThrow();
      expect(raw).not.toMatch(/"(mtime|creation_date|physical_address_expiry)": \d/);
    },
  );
});
