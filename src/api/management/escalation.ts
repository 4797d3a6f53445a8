/**
 * Delegated administrators hand on what they hold, and no more (security.md §3.5). What is compared is what the write
 * gives: the allows it brings, and what denies that it takes away have kept from others.
 */

import type { NamedStatements, Statement } from "../../model/policy.ts";
import type { AuditEvents, WarningLog } from "../rest/ports.ts";
import { warningHeaders } from "../rest/warning-headers.ts";
import { PermissionRefused } from "./errors.ts";
import type { UserCall } from "./operation.ts";
import type { EscalationCheck } from "./ports.ts";

/** `authorizer.escalation`. */
export type EscalationMode = "off" | "warn" | "deny";

/** What a write gives to somebody. */
export interface Grant {
  /** For people, with a verb: `attaching policy "X" to user "bob"`. */
  readonly what: string;
  /** Whom the caller could act as by it. */
  readonly actsAs?: string;
  /** Asked only where escalation is looked at. */
  readonly policies: () => Promise<readonly NamedStatements[]>;
}

/** What escalation is judged with. */
export interface EscalationParts {
  readonly mode: EscalationMode;
  readonly check: EscalationCheck;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
}

/** Compares writes with what their callers hold. */
export class Escalation {
  readonly #parts: EscalationParts;

  constructor(parts: EscalationParts) {
    this.#parts = parts;
  }

  /**
   * Headers that warn of a write that gives more than the caller holds; none where it does not.
   * @throws PermissionRefused in mode `deny`, naming a request that would become possible; "unavailable" where too
   *   many writes are compared at once
   */
  async judge(call: UserCall, { what, actsAs, policies }: Grant): Promise<readonly string[]> {
    const { mode, check, audit, log } = this.#parts;
    if (mode === "off") return [];
    const actor = call.caller.identity.username;
    const beyond = await check.beyond(actor, await policies(), actsAs);
    if (beyond === undefined) return [];
    const grants = beyond.certain ? "grants" : "may grant";
    const message = `${what} ${grants} more than ${JSON.stringify(actor)} holds: ${beyond.what}`;
    const refused = mode === "deny";
    const fields = {
      actor,
      request_id: call.requestId,
      source_ip: call.caller.sourceIp,
      grant: what,
      beyond: beyond.what,
      certain: beyond.certain,
      refused,
    };
    audit.event("write", { ...fields, operation: "escalation" });
    if (refused) throw new PermissionRefused(`insufficient permissions: ${message}`, 403);
    log.warn("a write grants more than who made it holds", fields);
    return warningHeaders([{ pointer: "escalation", message }]);
  }
}

/**
 * What replacing policies gives: the new statements, and an allow for whatever the old ones denied and the new ones do
 * not. A deny that is kept as it was lifts nothing.
 */
export function givenByReplacing(
  before: readonly NamedStatements[],
  after: NamedStatements,
): readonly NamedStatements[] {
  const kept = new Set(denies(after).map((deny) => JSON.stringify(deny)));
  const lifted = before
    .flatMap(denies)
    .filter((deny) => !kept.has(JSON.stringify(deny)))
    .map((deny): Statement => ({ ...deny, effect: "allow" }));
  return [{ name: after.name, statement: [...after.statement, ...lifted] }];
}

function denies({ statement }: NamedStatements): readonly Statement[] {
  return statement.filter(({ effect }) => effect === "deny");
}
