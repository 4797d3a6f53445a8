/** Encodes the decisions of one call as one record (decision-log.md §1.3). */

import type {
  AskedResource,
  BatchQuestion,
  BatchSubject,
  DecisionBatch,
} from "../../decisions/decision-log.ts";
import type { CompiledStatement } from "../../engine/statement.ts";
import type { Effect, Outcome } from "../../model/decision.ts";
import { durationText, type RecordEncoder } from "./encode.ts";
import { ItemBuffer } from "./item-buffer.ts";

/** The log as a batch sees it. */
export interface BatchLog {
  readonly encoder: RecordEncoder;
  /** Largest number of kept items (`authorizer.decision_log.items`). */
  readonly items: number;
  wants(effect: Effect): boolean;
  /** Records a line in three parts; see `DecisionLog.decided`. */
  appendItems(head: string, items: Buffer, tail: string): Promise<void> | undefined;
  nextId(): string;
}

/** Collects the items of a batch, encoded. */
export class EncodedBatch implements DecisionBatch {
  readonly #log: BatchLog;
  readonly #question: BatchQuestion;
  readonly #counts: Record<Effect, number> = { allow: 0, neutral: 0, deny: 0 };
  #subject: BatchSubject | undefined;
  /** Subject, action and context of the record: those of its first item. */
  #head = "";
  /** The same of the current item if they differ from those of the record, else `{`. */
  #itemHead = "{";
  readonly #items = new ItemBuffer();
  #count = 0;

  constructor(log: BatchLog, question: BatchQuestion) {
    this.#log = log;
    this.#question = question;
  }

  about(subject: BatchSubject): void {
    if (subject === this.#subject) return;
    const { user, subjectType, loaded, action, context } = subject;
    const { parts } = this.#log.encoder;
    const head =
      parts.subject(user, subjectType, loaded, context) +
      `,"action":${JSON.stringify(action)}` +
      parts.context(loaded?.policies, context);
    if (this.#subject === undefined) this.#head = head;
    this.#subject = subject;
    this.#itemHead = head === this.#head ? "{" : `{${head.slice(1)},`;
  }

  add(outcome: Outcome, arn: string, asked?: AskedResource, statement?: CompiledStatement): void {
    const { effect } = outcome;
    this.#counts[effect]++;
    if (this.#count >= this.#log.items || !this.#log.wants(effect)) return;
    const loaded = this.#subject?.loaded;
    // A resource that was asked for by its ARN has no other name.
    const given =
      asked === undefined || asked.id === arn
        ? ""
        : `,"type":${JSON.stringify(asked.type)},"id":${JSON.stringify(asked.id)}`;
    const why =
      statement === undefined || loaded === undefined
        ? ""
        : this.#log.encoder.parts.statement(statement, loaded);
    const decision = effect === "allow" ? '},"decision":true' : DECISIONS[effect];
    this.#items.add(
      `${this.#count === 0 ? "" : ","}${this.#itemHead}"resource":{"arn":${JSON.stringify(arn)}${given}` +
        `${decision},"determining":[${why}]}`,
    );
    this.#count++;
  }

  end(): Promise<void> | undefined {
    const { allow, neutral, deny } = this.#counts;
    const effect = deny > 0 ? "deny" : neutral > 0 || allow === 0 ? "neutral" : "allow";
    if (this.#count === 0 && !this.#log.wants(effect)) return undefined;
    const { encoder } = this.#log;
    const { entrance, requestId, call } = this.#question;
    const head =
      this.#head === "" ? `${encoder.parts.subject(null, undefined, undefined, NOTHING)}` : this.#head;
    const start =
      encoder.head(this.#log.nextId(), entrance) +
      encoder.parts.asked(call, requestId) +
      head +
      `,"decision":${effect === "allow"},"effect":"${effect}","determining":[]${durationText(call)},"items":[`;
    const tail = `],"counts":{"allow":${allow},"neutral":${neutral},"deny":${deny}}`;
    try {
      return this.#log.appendItems(start, this.#items.bytes, tail);
    } finally {
      this.#items.release();
    }
  }
}

const NOTHING = new Map<string, string>();

const DECISIONS = {
  neutral: '},"decision":false,"effect":"neutral"',
  deny: '},"decision":false,"effect":"deny"',
} as const;
