/**
 * Random schedules of the protocol (journal.md §2, journal.md §3): nodes interleave at every call of the engine; answers are
 * lost, creates land late or twice, nodes are suspended, die and come back, the log is trimmed under those who sleep, and the
 * database is put back to an earlier moment.
 */

import { it } from "vitest";
import {
  LARGE_AND_LOST,
  LOST_AND_ASKED,
  LOST_WHOLE,
  SHORT_PART_LIFE,
  TRIMMED_AND_ASKED,
  TRIMMED_AND_LOST,
  TRIMMED_OFTEN,
} from "./model/biases.ts";
import { expectFault, expectSound } from "./model/check.ts";
import { RULES } from "./model/rules.ts";

const TIMEOUT_MS = 600_000;
const SCHEDULES = 500;
/** Most schedules until one has to fail without a rule. */
const UNTIL_FAULT = 20_000;

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
  TRIMMED_AND_ASKED,
])("so is every history where $name", { timeout: TIMEOUT_MS }, ({ edits }) =>
  expectSound(SCHEDULES / 2, edits),
);

it.each(RULES)("a schedule fails without $name", { timeout: TIMEOUT_MS }, (rule) =>
  expectFault(rule, UNTIL_FAULT),
);
