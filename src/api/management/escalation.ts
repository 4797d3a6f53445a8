/**
 * Delegated administrators hand on what they hold, and no more (security.md §3.5). Two kinds of writes are compared
 * with what the caller holds: those that give policies to somebody, and those that take a deny from the caller.
 */

import type { NamedStatements, Statement } from "../../model/policy.ts";
import { parseResourceText } from "../../model/resource-text.ts";
import type { Grant, GrantChecks, Removal } from "../rest/grants.ts";
import type { Holdings } from "../rest/holdings.ts";
import type { AuditEvents, WarningLog } from "../rest/ports.ts";
import { warningHeaders } from "../rest/warning-headers.ts";
import type { UserCall } from "./call.ts";
import { PermissionRefused } from "./errors.ts";
import type { EscalationCheck, ExcessRight } from "./ports.ts";

/** `authorizer.escalation`. */
export type EscalationMode = "off" | "warn" | "deny";

/** The parts that escalation is judged with. */
export interface EscalationParts {
  readonly mode: EscalationMode;
  readonly check: EscalationCheck;
  readonly holdings: Pick<Holdings, "ofCaller">;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
}

/** Compares writes with what their callers hold. */
export class Escalation implements GrantChecks {
  readonly #parts: EscalationParts;
  /** The last removal of each caller who has one under way. */
  readonly #removals = new Map<string, Promise<unknown>>();

  constructor(parts: EscalationParts) {
    this.#parts = parts;
  }

  /**
   * Headers that warn of a write that gives more than the caller holds; none where it does not.
   * @throws PermissionRefused in mode `deny`, naming a request that would become possible; "unavailable" where too
   *   many writes are compared at once
   */
  async checkGrant(call: UserCall, { what, actsAs, policies }: Grant): Promise<readonly string[]> {
    const { mode, check } = this.#parts;
    if (mode === "off") return [];
    const actor = call.caller.identity.username;
    const excess = await check.excessRight(actor, await policies(), actsAs);
    if (excess === undefined) return [];
    const grants = excess.certain ? "grants" : "may grant";
    const message = `${what} ${grants} more than ${JSON.stringify(actor)} holds: ${excess.what}`;
    return this.#widens(call, what, excess, message);
  }

  /**
   * Runs a write that takes policies away, unless the caller would be allowed more without them. The removals of one
   * caller run one after the other: each of two could otherwise count on a deny that the other one takes away.
   * @returns headers that warn; none where the caller gains nothing
   * @throws PermissionRefused in mode `deny`, before the write; "unavailable" as {@link checkGrant}
   */
  async remove(call: UserCall, removal: Removal, write: () => Promise<void>): Promise<readonly string[]> {
    if (this.#parts.mode === "off") {
      await write();
      return [];
    }
    const actor = call.caller.identity.username;
    const before = this.#removals.get(actor);
    const judged = async (): Promise<readonly string[]> => {
      const warnings = await this.#judgeRemoval(call, removal);
      await write();
      return warnings;
    };
    const running = before === undefined ? judged() : before.then(judged, judged);
    this.#removals.set(actor, running);
    try {
      return await running;
    } finally {
      if (this.#removals.get(actor) === running) this.#removals.delete(actor);
    }
  }

  async #judgeRemoval(call: UserCall, { what, takes }: Removal): Promise<readonly string[]> {
    const { check, holdings } = this.#parts;
    const actor = call.caller.identity.username;
    const held = await holdings.ofCaller(actor);
    const kept = held.filter(({ name, via }) => !via.every((way) => takes(name, way)));
    const lost = held.filter((policy) => !kept.includes(policy));
    if (!lost.some(({ statement }) => statement.some(mayDeny))) return [];
    const excess = await check.excessRight(actor, kept, actor);
    if (excess === undefined) return [];
    const lifts = excess.certain ? "lifts" : "may lift";
    const message = `${what} ${lifts} a deny from ${JSON.stringify(actor)}: ${excess.what}`;
    return this.#widens(call, what, excess, message);
  }

  #widens(call: UserCall, what: string, excess: ExcessRight, message: string): readonly string[] {
    const { mode, audit, log } = this.#parts;
    const refused = mode === "deny";
    const fields = {
      actor: call.caller.identity.username,
      request_id: call.requestId,
      source_ip: call.caller.sourceIp,
      grant: what,
      beyond: excess.what,
      certain: excess.certain,
      refused,
    };
    audit.event("write", { ...fields, operation: "escalation" });
    if (refused) throw new PermissionRefused(`insufficient permissions: ${message}`, 403);
    log.warn("a write grants more than its caller holds", fields);
    return warningHeaders([{ pointer: "escalation", message }]);
  }
}

/** False for a statement that can only allow: losing it makes nothing possible. */
function mayDeny({ effect, resource, condition }: Statement): boolean {
  const isPlain = condition === undefined || condition === null;
  return effect !== "allow" || !isPlain || parseResourceText(resource) === undefined;
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
