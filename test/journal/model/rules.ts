/** Rules of journal.md that a run of the model can be made without. */

import { COMMIT_RULES } from "./commit-rules.ts";
import { COPY_RULES } from "./copy-rules.ts";
import type { Rule } from "./rule.ts";

export const RULES: readonly Rule[] = [...COMMIT_RULES, ...COPY_RULES];
