/** Long output is made as its reader takes it. */

import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { CommandContext } from "../../../src/cli/command-context.ts";

const LINES = 100_000;
const LINE = "a line of some length that a report may have";

function contextOn(stdout: PassThrough): CommandContext {
  const edge = { stdout, stderr: stdout, onStop: () => {}, onReload: () => {}, abort: () => {} };
  return new CommandContext(edge, {}, []);
}

it("lines wait for a reader who takes none, and all arrive", async () => {
  const output = new PassThrough({ highWaterMark: 1_000 });
  let made = 0;
  const lines = function* (): Generator<string> {
    for (; made < LINES; made++) yield LINE;
  };
  const written = contextOn(output).outLines(lines());
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(LINES / 10);
  let text = "";
  output.on("data", (part) => {
    text += part;
  });
  await written;
  output.end();
  await once(output, "end");
  expect(text.split("\n")).toHaveLength(LINES + 1);
});

it("lines to a reader who has gone come to an end", async () => {
  const output = new PassThrough({ highWaterMark: 1 });
  output.on("error", () => undefined);
  const written = contextOn(output).outLines(Array.from({ length: LINES }, () => LINE));
  await setImmediate();
  output.destroy();
  await written;
});
