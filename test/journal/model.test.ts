/**
 * Random schedules of the protocol (spec/journal §2, spec/journal §3): nodes interleave at every call of the engine; answers are
 * lost, creates land late or twice, nodes are suspended, die and come back, the log is trimmed under those who sleep, and the
 * database is put back to an earlier moment. With `npm run prove` there are more schedules, and every fault is looked for anew.
 */

import { it } from "vitest";
import { isWhole, report, sized } from "../proofs/size.ts";
import {
  GIVING_WAY,
  GIVING_WAY_AND_LOST,
  IN_SESSIONS,
  LARGE_AND_LOST,
  LOST_ALL_THE_TIME,
  LOST_AND_ASKED,
  LOST_WHOLE,
  RESTARTED_IN_SESSIONS,
  SHORT_PART_LIFE,
  TRIMMED_AND_ASKED,
  TRIMMED_AND_LOST,
  TRIMMED_OFTEN,
} from "./model/biases.ts";
import { expectFault, expectSound } from "./model/check.ts";
import { RULES } from "./model/rules.ts";

const TIMEOUT_MS = sized(600_000, 3_600_000);
const SCHEDULES = sized(100, 20_000);
/** Most schedules until one has to fail without a rule. */
const UNTIL_FAULT = 60_000;

it(
  "every history is serializable, nothing acknowledged is lost, every copy is equal",
  {
    timeout: TIMEOUT_MS,
  },
  () => expectSound(SCHEDULES),
);

it.each([
  SHORT_PART_LIFE,
  TRIMMED_OFTEN,
  TRIMMED_AND_LOST,
  LARGE_AND_LOST,
  LOST_WHOLE,
  LOST_AND_ASKED,
  LOST_ALL_THE_TIME,
  TRIMMED_AND_ASKED,
  IN_SESSIONS,
  RESTARTED_IN_SESSIONS,
  GIVING_WAY,
  GIVING_WAY_AND_LOST,
])("so is every history where $name", { timeout: TIMEOUT_MS }, ({ edits }) =>
  expectSound(SCHEDULES / 4, edits),
);

it.each(RULES)("a schedule fails without $name", { timeout: TIMEOUT_MS }, async (rule) => {
  const { found, ...always } = rule;
  const { runs, seed, at } = await expectFault(isWhole ? always : rule, UNTIL_FAULT);
  report(`without ${rule.name}: a fault in ${runs} runs, found: [${seed}, ${at}]`);
});
