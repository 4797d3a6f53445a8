/**
 * Random schedules of readers, callers and login tokens (spec/journal §6, spec/journal §5): readers of the replica are cut and come
 * again at any node, callers hold positions, sessions end, and the log goes back meanwhile.
 */

import { it } from "vitest";
import { READERS_GIVING_WAY } from "./model/biases.ts";
import { expectFault, expectSound, READERS } from "./model/check.ts";
import { READER_RULES } from "./readers/rules.ts";

const TIMEOUT_MS = 300_000;
const SCHEDULES = 60;
/** Most schedules until one has to fail without a rule. */
const UNTIL_FAULT = 2_000;

it(
  "every reader holds what its name says, and no token or position of a lost past is taken",
  {
    timeout: TIMEOUT_MS,
  },
  () => expectSound(SCHEDULES, [], READERS),
);

it("they do where work in turns gives way all the time", { timeout: TIMEOUT_MS }, () =>
  expectSound(SCHEDULES, READERS_GIVING_WAY.edits, READERS),
);

it.each(READER_RULES)("a schedule fails without $name", { timeout: TIMEOUT_MS }, async (rule) => {
  await expectFault(rule, UNTIL_FAULT, READERS);
});
