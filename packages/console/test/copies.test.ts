/** A copied command of svcctl asks what the playground asked. */

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { contextFields } from "../../svcctl/src/context-fields.ts";
import { asSvcctl } from "../src/pages/playground/copies.ts";

const asked = (context: unknown) =>
  asSvcctl({ user: "it's me", action: "fs:ReadObject", resource: "*", context: JSON.stringify(context) });

/** The words that a shell makes of a command. */
function wordsOf(command: string): readonly string[] {
  const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  return printed.split("\0").slice(0, -1);
}

it.each([
  [{}],
  [{ SourceIp: "10.0.0.1" }],
  [{ "context.mfa": "true", "context.note": "it's $HOME `x` a=b" }],
  [{ "context.roles": ["a", "b"] }],
])("with the context %j", (context) => {
  const words = wordsOf(asked(context) ?? "");
  const given = words.filter((_word, index) => words[index - 1] === "--context");
  expect(contextFields(given.length === 0 ? undefined : given) ?? {}).toEqual(context);
  expect(words[words.indexOf("--user") + 1]).toBe("it's me");
});

it.each([
  [{ "context.roles": ["a"] }],
  [{ "context.roles": [] }],
  [{ "context.roles": [["a", "b"], "c"] }],
  [{ context: { mfa: true } }],
  [{ "context.a=b": "c" }],
])("has no command for the context %j, which options cannot say", (context) => {
  expect(asked(context)).toBeUndefined();
});

it("leaves out null, which counts as absent", () => {
  expect(asked({ "context.mfa": null })).toBe(asked({}));
});
