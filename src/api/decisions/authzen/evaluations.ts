/** `POST /access/v1/evaluations`: many AuthZEN access evaluations in one request (spec/decision-api §2). */

import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { AuthzenSubject } from "../../../decisions/authzen-entities.ts";
import { TOKEN_PROPERTY } from "../../../decisions/check/evaluation-fields.ts";
import type { DecisionBatch } from "../../../decisions/decision-log.ts";
import type {
  CachedOutcomes,
  Decisions,
  EvaluationAnswer,
  EvaluationRequest,
} from "../../../decisions/decisions.ts";
import { isObject, requireObject } from "../../../http/body/json-body.ts";
import { invalidRequest, statusOf } from "../../../http/errors.ts";
import { Pace } from "../../../schedule/pace.ts";
import type { WorkBudget } from "../../../schedule/scheduler.ts";
import { Turns } from "../../../schedule/turns.ts";
import type { ServiceCall } from "../../service-caller.ts";
import type { DecisionLimits } from "../limits.ts";
import { wantsExplanation } from "../query.ts";
import { isAction, isOptionalObject, isResource, isSubject, partProblems, readParts } from "./entities.ts";
import { evaluationText, outcomeText, singleEvaluation, toRequest } from "./evaluation.ts";

const SEMANTICS = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"] as const;
type Semantic = (typeof SEMANTICS)[number];

/** The answer to an element; the deciding one names the semantic in `reason`, its own reason moves aside. */
type ElementAnswer = EvaluationAnswer & { readonly context?: { readonly element_reason?: string } };

/** Builds the handler. */
export function evaluationsHandler(decisions: Decisions, limits: DecisionLimits) {
  return (call: ServiceCall): string | Promise<string> => {
    const { body } = call;
    const explain = wantsExplanation(call);
    const defaults = requireObject(body);
    const elements = defaults["evaluations"] ?? [];
    const problems = optionProblems(defaults["options"]);
    if (!Array.isArray(elements)) problems.push({ pointer: "/evaluations", message: "expected an array" });
    else if (elements.length > limits.batch) {
      problems.push({ pointer: "/evaluations", message: `more than ${limits.batch} elements` });
    }
    const single = Array.isArray(elements) && elements.length === 0;
    problems.push(...partProblems(defaults, "", limits, !single));
    if (problems.length > 0) throw invalidRequest(problems);
    if (single) {
      const answer = decisions.evaluate(singleEvaluation(defaults, call, explain, "evaluations", limits));
      return answer instanceof Promise ? answer.then(evaluationText) : evaluationText(answer);
    }
    const batch = new Batch(decisions, limits, defaults, call, explain);
    const semantic = semanticOf(defaults["options"]);
    return semantic === "execute_all"
      ? batch.executeAll(elements as unknown[])
      : batch.untilDecided(elements as unknown[], semantic);
  };
}

function optionProblems(options: unknown): Problem[] {
  if (options === undefined || options === null) return [];
  if (!isObject(options)) return [{ pointer: "/options", message: "expected an object" }];
  const semantic = options["evaluations_semantic"] ?? "execute_all";
  if (SEMANTICS.some((known) => known === semantic)) return [];
  return [{ pointer: "/options/evaluations_semantic", message: `expected one of ${SEMANTICS.join(", ")}` }];
}

function semanticOf(options: unknown): Semantic {
  if (!isObject(options)) return "execute_all";
  return (options["evaluations_semantic"] as Semantic | undefined | null) ?? "execute_all";
}

/** The test of a user and an action, and the entities that it was found for. */
interface KnownOutcomes {
  readonly subject: unknown;
  readonly action: unknown;
  readonly user: Pick<AuthzenSubject, "type" | "id"> | undefined;
  readonly name: string | undefined;
  readonly outcomes: CachedOutcomes | undefined;
}

const NOTHING_KNOWN: KnownOutcomes = {
  subject: undefined,
  action: undefined,
  user: undefined,
  name: undefined,
  outcomes: undefined,
};

/** An answer, or its JSON text where that is prepared. */
type Answer = EvaluationAnswer | string;

/** Elements between two looks at the clock. */
const LOOK = 4;
/** Elements that wait for their users at once. */
const MOST_WAITING = 32;

/** The elements of one request. */
class Batch {
  /** User and action of the last element, whose test serves the next that has the same. */
  #last: KnownOutcomes = NOTHING_KNOWN;

  readonly #decisions: Decisions;
  readonly #limits: DecisionLimits;
  readonly #defaults: Record<string, unknown>;
  readonly #call: ServiceCall;
  readonly #explain: boolean;
  readonly #budget: WorkBudget;
  readonly #record: DecisionBatch | undefined;
  /** The id of the outcome that was just found: that which it has in the record, else a new one. */
  readonly #newId = (): string => this.#record?.lastId() ?? this.#decisions.decisionId();

  constructor(
    decisions: Decisions,
    limits: DecisionLimits,
    defaults: Record<string, unknown>,
    call: ServiceCall,
    explain: boolean,
  ) {
    this.#decisions = decisions;
    this.#limits = limits;
    this.#defaults = defaults;
    this.#call = call;
    this.#explain = explain;
    this.#budget = decisions.workBudget(call);
    const { requestId } = call;
    this.#record = decisions.log?.batch({ entrance: "evaluations", requestId, call });
  }

  /** Every element in order; at once when every answer is at hand. */
  executeAll(elements: readonly unknown[]): string | Promise<string> {
    const answers: Answer[] = [];
    const turns = new Turns();
    for (const [index, element] of elements.entries()) {
      const answer = this.#answer(element, index);
      if (answer instanceof Promise) {
        // It may fail while others are gathered, as when the caller goes: nobody waits for it yet.
        answer.catch(() => undefined);
        return this.#executeRest(elements, [...answers, answer]);
      }
      answers.push(answer);
      if (index % LOOK === 0 && turns.spent) return this.#executeRest(elements, answers);
    }
    return this.#ended(batchText(answers));
  }

  /** The answer, once its record is kept. */
  #ended(text: string): string | Promise<string> {
    const written = this.#record?.end();
    return written === undefined ? text : written.then(() => text);
  }

  /** The elements after those that are answered, in turns with other work. */
  async #executeRest(
    elements: readonly unknown[],
    answers: (Answer | Promise<EvaluationAnswer>)[],
  ): Promise<string> {
    const { pause } = new Pace(this.#budget.signal);
    let waiting: Promise<EvaluationAnswer>[] = [];
    for (let index = answers.length; index < elements.length; index++) {
      if (index % LOOK === 0) await this.#meanwhile(pause());
      const answer = this.#answer(elements[index], index);
      answers.push(answer);
      if (!(answer instanceof Promise)) continue;
      waiting.push(answer);
      // A failure is thrown when all are gathered.
      answer.catch(() => undefined);
      if (waiting.length < MOST_WAITING) continue;
      await this.#meanwhile(Promise.allSettled(waiting));
      waiting = [];
    }
    return this.#ended(batchText(await Promise.all(answers)));
  }

  /** Waits. The user may have changed meanwhile. */
  async #meanwhile(wait: Promise<unknown> | undefined): Promise<void> {
    if (wait === undefined) return;
    await wait;
    this.#last = NOTHING_KNOWN;
  }

  /** Elements in order until one decides for all. */
  async untilDecided(elements: readonly unknown[], semantic: Semantic): Promise<string> {
    const deciding = semantic === "permit_on_first_permit";
    const answers: (ElementAnswer | string)[] = [];
    const { pause } = new Pace(this.#budget.signal);
    for (const [index, element] of elements.entries()) {
      if (index % LOOK === LOOK - 1) await this.#meanwhile(pause());
      const pending = this.#answer(element, index);
      const given = pending instanceof Promise ? await pending : pending;
      const answer = typeof given === "string" ? (JSON.parse(given) as EvaluationAnswer) : given;
      // Meanwhile the user may have changed.
      if (pending instanceof Promise) this.#last = NOTHING_KNOWN;
      if (answer.decision === deciding) {
        answers.push(naming(semantic, answer));
        break;
      }
      answers.push(given);
    }
    return this.#ended(batchText(answers));
  }

  #answer(element: unknown, index: number): Answer | Promise<EvaluationAnswer> {
    const pointer = `/evaluations/${index}`;
    try {
      const cached = this.#cachedOutcome(element);
      if (cached !== undefined) return cached;
      const answer = this.#decisions.evaluate(this.#request(element, pointer));
      return answer instanceof Promise ? answer.catch((error) => elementError(error, pointer)) : answer;
    } catch (error) {
      return elementError(error, pointer);
    }
  }

  /** The short way, which most elements of most batches go: the text of the answer is prepared. */
  #cachedOutcome(element: unknown): string | undefined {
    if (this.#explain || !isObject(element)) return undefined;
    const defaults = this.#defaults;
    const subject = element["subject"] === undefined ? defaults["subject"] : element["subject"];
    const action = element["action"] === undefined ? defaults["action"] : element["action"];
    const resource = element["resource"] === undefined ? defaults["resource"] : element["resource"];
    // Of defaults the very same objects come again and again.
    if (subject !== this.#last.subject || action !== this.#last.action) this.#turnTo(subject, action);
    const { outcomes } = this.#last;
    if (outcomes === undefined || !isResource(resource, this.#limits)) return undefined;
    const { context } = element;
    if (!isOptionalObject(context)) return undefined;
    const told = (context ?? defaults["context"]) as Properties | null | undefined;
    const outcome = outcomes(resource.type, resource.id, told ?? undefined);
    if (outcome === undefined) return undefined;
    if (this.#decisions.shadow?.takes()) this.#tellShadow(element, outcome.effect === "allow");
    return outcomeText(outcome, this.#newId);
  }

  #turnTo(subject: unknown, action: unknown): void {
    if (!isPlain(subject) || !isAction(action, this.#limits)) {
      this.#last = { ...NOTHING_KNOWN, subject, action };
      return;
    }
    const { user, name } = this.#last;
    const same = subject.id === user?.id && subject.type === user.type && action.name === name;
    const outcomes = same
      ? this.#last.outcomes
      : this.#decisions.cachedOutcomes(subject, action.name, this.#budget, this.#record);
    this.#last = { subject, action, user: subject, name: action.name, outcomes };
  }

  #tellShadow(element: Record<string, unknown>, allowed: boolean): void {
    const parts = readParts(this.#whole(element), this.#limits);
    if (parts === undefined) return;
    const request = toRequest(parts, this.#call, false, "evaluations");
    this.#decisions.shadow?.evaluated(request, allowed);
  }

  /** An element with the defaults for what it lacks. */
  #whole(element: Record<string, unknown>) {
    const defaults = this.#defaults;
    return {
      subject: element["subject"] === undefined ? defaults["subject"] : element["subject"],
      action: element["action"] === undefined ? defaults["action"] : element["action"],
      resource: element["resource"] === undefined ? defaults["resource"] : element["resource"],
      context: element["context"] ?? defaults["context"],
    };
  }

  #request(element: unknown, pointer: string): EvaluationRequest {
    if (!isObject(element)) throw invalidRequest([{ pointer, message: "expected an object" }]);
    const whole = this.#whole(element);
    const parts = readParts(whole, this.#limits);
    if (parts === undefined) throw invalidRequest(partProblems(whole, pointer, this.#limits));
    const request = toRequest(parts, this.#call, this.#explain, "evaluations");
    return this.#record === undefined ? request : { ...request, batch: this.#record };
  }
}

/** True for a subject of whom a batch says nothing that could make somebody else of it. */
function isPlain(subject: unknown): subject is AuthzenSubject {
  if (!isSubject(subject)) return false;
  const { properties } = subject;
  return !isObject(properties) || !Object.hasOwn(properties, TOKEN_PROPERTY);
}

function naming(semantic: Semantic, answer: EvaluationAnswer): ElementAnswer {
  const { reason, ...context } = answer.context ?? {};
  const aside = reason === undefined ? {} : { element_reason: reason };
  return { decision: answer.decision, context: { ...context, ...aside, reason: semantic } };
}

/** A faulty element is denied with its error; what is no fault of the element fails the whole request. */
function elementError(error: unknown, element: string): EvaluationAnswer {
  if (!(error instanceof AuthorizerError) || !isErrorCode(error, "invalid_request")) throw error;
  const details = error.problems.map(({ pointer, message }) => {
    // Problems that turn up in deciding are told from the element, those of parsing from the whole body.
    return `${pointer.startsWith(element) ? pointer : element + pointer}: ${message}`;
  });
  const message = details.length === 0 ? error.message : `invalid request: ${details.join("; ")}`;
  return { decision: false, context: { error: { status: statusOf(error), message } } };
}

function batchText(answers: readonly (ElementAnswer | string)[]): string {
  let text = '{"evaluations":[';
  for (const [index, answer] of answers.entries()) {
    if (index > 0) text += ",";
    text += typeof answer === "string" ? answer : evaluationText(answer);
  }
  return `${text}]}`;
}
