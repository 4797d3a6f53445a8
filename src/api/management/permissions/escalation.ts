/**
 * Delegated administrators hand on what they hold, and no more (spec/security §3.5). Two kinds of writes are compared
 * with what the caller holds: those that give policies to somebody, and those that take a deny from the caller.
 */

import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";
import type { Directory, JudgedState } from "../../../directory/directory.ts";
import { Turns } from "../../../schedule/turns.ts";
import type { Grant, GrantChecks, Judged, Removal } from "../../rest/grants.ts";
import type { AuditEvents, WarningLog } from "../../rest/ports.ts";
import { warningHeaders } from "../../rest/warning-headers.ts";
import type { UserCall } from "../call.ts";
import { PermissionRefused } from "../errors.ts";
import type { EscalationCheck, ExcessRight } from "../ports.ts";

/** `authorizer.escalation`. */
export type EscalationMode = "off" | "warn" | "deny";

/** The parts that escalation is judged with. */
interface EscalationParts {
  readonly mode: EscalationMode;
  readonly check: EscalationCheck;
  readonly directory: Pick<Directory, "alsoJudged">;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
}

/** Compares writes with what their callers hold. */
export class Escalation implements GrantChecks {
  readonly #parts: EscalationParts;

  constructor(parts: EscalationParts) {
    this.#parts = parts;
  }

  /**
   * Runs a write that gives policies to somebody, unless it gives more than the caller holds. That is judged in the
   * state that the write runs on, and again each time that it runs (spec/journal §2.1).
   * @throws PermissionRefused in mode `deny`, naming a request that would become possible; "unavailable" where too
   *   many writes are compared at once
   */
  async checkGrant<T>(call: UserCall, grant: Grant, write: () => Promise<T>): Promise<Judged<T>> {
    return this.#judged(call, (state) => this.#judgeGrant(call, grant, state), write);
  }

  /**
   * Runs a write that takes policies away, unless the caller would be allowed more without them. Judged as
   * {@link checkGrant}: of two removals of one caller, each of which counts on a deny that the other one takes
   * away, one runs again.
   * @throws PermissionRefused in mode `deny`, before the write; "unavailable" as {@link checkGrant}
   */
  async checkRemoval<T>(call: UserCall, removal: Removal, write: () => Promise<T>): Promise<Judged<T>> {
    return this.#judged(call, (state) => this.#judgeRemoval(call, removal, state), write);
  }

  async #judged<T>(
    call: UserCall,
    judge: (state: JudgedState) => Promise<Widens | undefined>,
    write: () => Promise<T>,
  ): Promise<Judged<T>> {
    const { mode, directory } = this.#parts;
    if (mode === "off") return { result: await write(), warnings: [] };
    const last: { found?: Widens | undefined } = {};
    try {
      const result = await directory.alsoJudged(async (state) => {
        last.found = undefined;
        last.found = await judge(state);
        if (last.found !== undefined) this.#refuse(last.found);
      }, write);
      return { result, warnings: last.found === undefined ? [] : warningHeaders([warningOf(last.found)]) };
    } finally {
      // Only now: what was found in a state that has moved since counts for nothing.
      if (last.found !== undefined) this.#record(call, last.found);
    }
  }

  async #judgeGrant(call: UserCall, grant: Grant, state: JudgedState): Promise<Widens | undefined> {
    const excess = await this.excessOfGrant(call, grant, state);
    return excess && widens(call, "grants", grant.what, excess);
  }

  async #judgeRemoval(call: UserCall, removal: Removal, state: JudgedState): Promise<Widens | undefined> {
    const excess = await this.excessOfRemoval(call, removal, state);
    return excess && widens(call, "lifts", removal.what, excess);
  }

  /** The right that a grant gives beyond those of its caller. */
  async excessOfGrant(
    { caller }: UserCall,
    { actsAs, policies }: Pick<Grant, "actsAs" | "policies">,
    state: JudgedState,
  ): Promise<ExcessRight | undefined> {
    return this.#parts.check.excessRight(caller.identity.username, await policies(state), actsAs);
  }

  /** The right that the caller gains by a removal, because it takes a deny away. */
  async excessOfRemoval(
    { caller }: UserCall,
    { takes }: Pick<Removal, "takes">,
    state: JudgedState,
  ): Promise<ExcessRight | undefined> {
    const actor = caller.identity.username;
    const held = (await state.principal(actor))?.policies ?? [];
    const isTaken = ({ name, via }: (typeof held)[number]): boolean => via.every((way) => takes(name, way));
    const lost = held.filter(isTaken);
    if (!lost.some(({ statement }) => statement.some(mayDeny))) return undefined;
    const kept = held.filter((policy) => !isTaken(policy));
    return this.#parts.check.excessRight(actor, kept, actor);
  }

  get mode(): EscalationMode {
    return this.#parts.mode;
  }

  /** Records what widens rights: in the audit log, and in mode `warn` in the log. */
  #record(call: UserCall, { what, excess }: Widens): void {
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
    if (!refused) log.warn("a write grants more than its caller holds", fields);
  }

  /** Records each of them, as many as a document gives; other work runs in between. */
  async recordAll(call: UserCall, all: readonly Widens[]): Promise<void> {
    const turns = new Turns();
    for (const found of all) {
      if (turns.spent) await turns.yield();
      this.#record(call, found);
    }
  }

  #refuse({ message }: Widens): void {
    if (this.#parts.mode === "deny") throw new PermissionRefused(`insufficient permissions: ${message}`, 403);
  }
}

function warningOf({ message }: Widens) {
  return { pointer: "escalation", message };
}

/** A change that gives more than its caller holds, or takes a deny from the caller. */
export interface Widens {
  /** The change, for people. */
  readonly what: string;
  readonly message: string;
  readonly excess: ExcessRight;
}

/** Describes a change that widens rights. */
export function widens(
  { caller }: UserCall,
  how: "grants" | "lifts",
  what: string,
  excess: ExcessRight,
): Widens {
  const actor = JSON.stringify(caller.identity.username);
  const verb = excess.certain ? how : { grants: "may grant", lifts: "may lift" }[how];
  const more = how === "grants" ? `more than ${actor} holds` : `a deny from ${actor}`;
  return { what, message: `${what} ${verb} ${more}: ${excess.what}`, excess };
}

/** False for a statement that can only allow: losing it makes nothing possible. */
function mayDeny({ effect, resource, condition }: Statement): boolean {
  const isPlain = condition === undefined || condition === null;
  return effect !== "allow" || !isPlain || parseResourceText(resource) === undefined;
}

/**
 * Returns what replacing policies gives: the new statements, and an allow for whatever the old ones denied and the
 * new ones do not. A deny that is kept as it was lifts nothing.
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
