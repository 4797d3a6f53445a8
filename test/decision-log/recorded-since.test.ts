import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { noteNoRecording, noteRecording } from "../../src/decision-log/recorded-since.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { settingsOf } from "./test-log.ts";

it("the time since when decisions are recorded as now begins anew with each change of that", () => {
  const directory = temporaryFolder();
  const all = settingsOf(directory);
  expect(noteRecording(all, 1)).toBe(1);
  expect(noteRecording(all, 2)).toBe(1);
  expect(noteRecording({ ...all, include: "denied" }, 3)).toBe(3);
  expect(noteRecording(all, 4)).toBe(4);
  expect(noteRecording({ ...all, mask: ["/subject/id"] }, 5)).toBe(5);
  expect(noteRecording({ ...all, node: "n2" }, 6)).toBe(6);
  expect(noteRecording({ ...all, mask: ["/subject/id"] }, 7)).toBe(5);
  noteNoRecording(directory, "n1");
  expect(noteRecording({ ...all, mask: ["/subject/id"] }, 8)).toBe(8);
});

it("a damaged note is none", () => {
  const directory = temporaryFolder();
  noteRecording(settingsOf(directory), 1);
  const [file = ""] = readdirSync(directory);
  for (const text of ["", "null", "{", '{"how":"[\\"all\\",[]]","since":"1"}']) {
    writeFileSync(join(directory, file), text);
    expect(noteRecording(settingsOf(directory), 9)).toBe(9);
  }
});
