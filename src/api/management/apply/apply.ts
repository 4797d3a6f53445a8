/** Applies documents for one call: plans, asks, compares, checks, and writes in one commit (spec/management-cli §10). */

import { createHash } from "node:crypto";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import { warningsOnWrite } from "@svc-authorizer/policy/model/policy-warnings.ts";
import type { ReadDocuments } from "../../../datasets/apply/applications.ts";
import type { AppliedChange, AppliedPlan } from "../../../datasets/apply/applied-plan.ts";
import type { BatchOperation, DirectoryState, StatePlan } from "../../../directory/batch.ts";
import type { JudgedState } from "../../../directory/directory.ts";
import { Turns } from "../../../schedule/turns.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts } from "../declaration.ts";
import { OwnText, PermissionRefused } from "../errors.ts";
import { type WideningChange, wideningChanges } from "./change-grants.ts";
import {
  AskedPermissions,
  MOST_REFUSALS,
  refusedChanges,
  refusedClaims,
  refusedReads,
} from "./change-permissions.ts";
import { refusedFirst } from "./first-names.ts";

/** The body of the call, after its shape was validated. */
export interface ApplyBody {
  readonly manager: string;
  readonly documents: readonly unknown[];
  readonly prune?: boolean;
  readonly dry_run?: boolean;
  readonly yes?: boolean;
  /** `digest` of an earlier answer. */
  readonly expected?: string;
}

/** The result of an application. */
export interface Applied {
  readonly plan: AppliedPlan;
  /** The part of the difference that the caller may see. */
  readonly changes: readonly AppliedChange[];
  readonly digest: string;
  /** Changes that the caller may not make; only of a dry run. */
  readonly refused: readonly Problem[];
  /** Changes that give more than the caller holds, and were made all the same. */
  readonly widening: readonly WideningChange[];
  /** Policies that may not do what is meant. */
  readonly warnings: readonly Problem[];
}

/**
 * Runs an application. Nothing of it is done unless all of it is.
 * @param onAttempt hears what is about to be committed, which is another thing after a lost race
 */
export async function apply(
  call: UserCall,
  parts: ManagementParts,
  onAttempt: (attempted: Applied) => void,
): Promise<Applied> {
  const body = call.body as ApplyBody;
  refuse(await refusedFirst(new AskedPermissions(parts, call), body.documents));
  const documents = await asked(() => parts.applications.read(body.documents));
  let last: Attempt | undefined;
  const attempt = async (state: DirectoryState, judged: JudgedState) => {
    last = new Attempt(call, parts, body, documents, state, judged);
    const planned = await last.run();
    onAttempt(planned.result);
    return planned;
  };
  try {
    return await parts.directory.applyPlanned(attempt, { dryRun: body.dry_run === true });
  } finally {
    // Only now: what was refused in a state that has moved since counts for nothing.
    if (last !== undefined) await parts.escalation.recordAll(call, last.denied);
  }
}

/** Runs work whose errors name places in the documents: the answer has them all. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuthorizerError) || error.problems.length === 0) throw error;
    const { code, message, problems } = error;
    throw new OwnText(code, message, { problems, cause: error });
  }
}

/** One attempt on one state: a lost race is another one. */
class Attempt {
  /** Changes for which it was refused, as they give more than the caller holds. */
  denied: readonly WideningChange[] = [];
  readonly #call: UserCall;
  readonly #parts: ManagementParts;
  readonly #body: ApplyBody;
  readonly #documents: ReadDocuments;
  readonly #state: DirectoryState;
  readonly #judged: JudgedState;
  readonly #permissions: AskedPermissions;

  constructor(
    call: UserCall,
    parts: ManagementParts,
    body: ApplyBody,
    documents: ReadDocuments,
    state: DirectoryState,
    judged: JudgedState,
  ) {
    this.#call = call;
    this.#parts = parts;
    this.#body = body;
    this.#documents = documents;
    this.#state = state;
    this.#judged = judged;
    this.#permissions = new AskedPermissions(parts, call);
  }

  async run(): Promise<StatePlan<Applied>> {
    const { applications } = this.#parts;
    const { manager, prune = false, dry_run: dryRun = false } = this.#body;
    refuse(await refusedReads(this.#permissions, this.#documents.entities));
    const request = { manager, prune, documents: this.#documents, state: this.#state };
    const plan = await applications.plan(request);
    const changes = await this.#visible(plan.changes);
    const refused = [
      ...(await refusedChanges(this.#permissions, plan.changes, dryRun ? Infinity : MOST_REFUSALS)),
      ...(await refusedClaims(this.#permissions, plan.claims)),
    ];
    if (!dryRun) refuse(refused);
    await asked(() => applications.check(request, plan));
    const widening = await this.#widening(plan);
    const isDenied = this.#parts.escalation.mode === "deny";
    const beyond = isDenied ? widening.map(problemOf) : [];
    if (!dryRun && isDenied) {
      this.denied = widening;
      refuse(beyond);
    }
    const digest = await digestOf(changes);
    if (!dryRun) this.#confirm(plan, digest);
    const warnings = await this.#warnings(plan);
    const result = { plan, changes, digest, refused: [...refused, ...beyond], widening, warnings };
    // A dry run that its caller may not make is not tried any further: the answer says why.
    const operations: readonly BatchOperation[] = result.refused.length > 0 ? [] : plan.operations;
    return { operations, result };
  }

  /** The changes that the caller may see. What the documents do not name is seen by those who may read it. */
  async #visible(changes: readonly AppliedChange[]): Promise<readonly AppliedChange[]> {
    const visible: AppliedChange[] = [];
    for (const change of changes) {
      const { kind, name, at, action } = change;
      const isEntity = kind === "user" || kind === "group" || kind === "policy";
      const hidden = isEntity && at === undefined && (await this.#permissions.reading(kind, name));
      if (hidden === false || hidden === undefined) visible.push(change);
      else if (action === "remove") {
        refuse([{ pointer: "", message: `something that would be removed may not be read: ${hidden}` }]);
      }
    }
    return visible;
  }

  #widening(plan: AppliedPlan): Promise<readonly WideningChange[]> {
    return wideningChanges({
      call: this.#call,
      escalation: this.#parts.escalation,
      plan,
      state: this.#state,
      judged: this.#judged,
    });
  }

  #confirm({ removesMost }: AppliedPlan, digest: string): void {
    const { expected, yes = false, manager } = this.#body;
    if (expected !== undefined && expected !== digest) {
      const message = "the difference is no longer the one that was expected; look at it again";
      throw new OwnText("conflict", message);
    }
    if (!removesMost || yes) return;
    throw new OwnText(
      "conflict",
      `this removes more than half of what ${JSON.stringify(manager)} applied before; ` +
        "look at the difference in a dry run, and confirm with yes if that is meant. Nothing was changed",
    );
  }

  async #warnings({ changes }: AppliedPlan): Promise<readonly Problem[]> {
    const problems: Problem[] = [];
    const turns = new Turns();
    for (const { operation, at = "" } of changes) {
      if (operation?.op !== "put_policy") continue;
      if (turns.spent) await turns.yield();
      const found = warningsOnWrite(operation.policy, this.#parts.vocabulary);
      for (const { pointer, message } of found) problems.push({ pointer: at + pointer, message });
    }
    return problems;
  }
}

/** Throws for what is refused, all at once. */
function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length > MOST_REFUSALS ? `at least ${MOST_REFUSALS}` : problems.length - 1;
  const more = problems.length > 1 ? ` (and ${others} more)` : "";
  throw new PermissionRefused(
    `${first.message}${more}; nothing was changed`,
    403,
    problems.slice(0, MOST_REFUSALS),
  );
}

function problemOf({ at = "", message }: WideningChange): Problem {
  return { pointer: at, message: `insufficient permissions: ${message}` };
}

/** A digest of the changes, wherever they stand in the documents. */
async function digestOf(changes: readonly AppliedChange[]): Promise<string> {
  const hash = createHash("sha256");
  const turns = new Turns();
  let separator = "[";
  for (const { action, kind, name, before, after } of changes) {
    hash.update(separator + JSON.stringify([action, kind, name, before, after]));
    separator = ",";
    if (turns.spent) await turns.yield();
  }
  return hash.update(changes.length === 0 ? "[]" : "]").digest("hex");
}
