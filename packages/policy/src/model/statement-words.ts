/** A statement in words: the same in svcctl, reviews and findings, and counted as the API counts. */

import type { StatementName } from "./decision.ts";

/** `Readers, statement 0`, and the statement's sid in parentheses where it has one. */
export function statementWords({ policy, statement, sid }: StatementName): string {
  return `${policy}, ${statementPlace(statement, sid)}`;
}

/** `statement 0`, or `statement 0 (Reports)` where the statement has a sid. */
export function statementPlace(statement: number, sid: string | undefined): string {
  return sid === undefined ? `statement ${statement}` : `statement ${statement} (${sid})`;
}
