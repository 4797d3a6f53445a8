/** Encodes the decisions of one call as one record (spec/decision-log §1.3). */

import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import type { Effect, Outcome } from "@svc-authorizer/policy/model/decision.ts";
import { ARN_TYPE } from "@svc-authorizer/policy/model/names.ts";
import { idInBatch } from "@svc-authorizer/policy/records/record-ids.ts";
import type {
  AskedResource,
  BatchQuestion,
  BatchSubject,
  DecisionBatch,
} from "../../decisions/decision-log.ts";
import { durationText, type RecordEncoder } from "./encode.ts";
import { ItemBuffer } from "./item-buffer.ts";
import { quoted } from "./json-text.ts";

/** The log as a batch sees it. */
interface BatchLog {
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
  /** Revision of the directory when the first subject was named: that of the record. */
  #revision: string | undefined;
  /** That of the current item. */
  #itemRevision = "";
  /** Subject, action and context of the record: those of its first item. */
  #head = "";
  /** The beginning of the current item: with revision, subject, action and context if they differ from the record's. */
  #itemHead = '{"resource":{"arn":"';
  readonly #items = new ItemBuffer();
  #id: string | undefined;
  /** Number of the decisions that `include` selects; the record has the first of them. */
  #selected = 0;
  #isLastSelected = false;
  /** The type of the last resource, and what says so between its ARN and its id. */
  #type: string | undefined;
  #typeText = "";

  constructor(log: BatchLog, question: BatchQuestion) {
    this.#log = log;
    this.#question = question;
  }

  about(subject: BatchSubject): void {
    // The same object is told of again only in the same turn, or for the same policies.
    if (subject === this.#subject) return;
    const { revision } = this.#log.encoder;
    if (isSame(subject, this.#subject) && revision === this.#itemRevision) return;
    const head = this.#headOf(subject);
    if (this.#subject === undefined) this.#head = head;
    this.#subject = subject;
    this.#revision ??= revision;
    this.#itemRevision = revision;
    const own = revision === this.#revision ? "{" : `{"revision":${revision},`;
    this.#itemHead = `${head === this.#head ? own : `${own}${head.slice(1)},`}"resource":{"arn":"`;
  }

  #headOf({ user, subjectType, loaded, asserted, action, context }: BatchSubject): string {
    const { parts } = this.#log.encoder;
    return (
      parts.subject(user, subjectType, loaded, context, asserted) +
      `,"action":${JSON.stringify(action)}` +
      parts.context(loaded?.policies, context)
    );
  }

  /** The subject of a record without decisions. */
  #headOfNothing(): string {
    const { asked } = this.#question;
    return asked === undefined
      ? this.#log.encoder.parts.subject(null, undefined, undefined, NOTHING)
      : this.#headOf({ ...asked, loaded: undefined });
  }

  add(
    outcome: Outcome,
    arn: string,
    asked?: AskedResource,
    statement?: CompiledStatement,
    error?: string,
  ): void {
    const { effect } = outcome;
    this.#counts[effect]++;
    this.#isLastSelected = this.#log.wants(effect);
    if (!this.#isLastSelected) return;
    const place = this.#selected++;
    if (place >= this.#log.items) return;
    const comma = place > 0 ? "," : "";
    // A resource that was asked for by its ARN has no other name.
    const name = asked === undefined || asked.type === ARN_TYPE ? "" : this.#nameText(asked);
    const loaded = this.#subject?.loaded;
    const determining =
      statement === undefined || loaded === undefined
        ? ""
        : this.#log.encoder.parts.statement(statement, loaded);
    const end = error === undefined ? "]}" : `],"error":${JSON.stringify(error)}}`;
    this.#items.add(`${comma}${this.#itemHead}${quoted(arn)}${name}${DECISIONS[effect]}${determining}${end}`);
  }

  lastId(): string | undefined {
    return this.#isLastSelected ? idInBatch(this.#recordId(), this.#selected - 1) : undefined;
  }

  #recordId(): string {
    this.#id ??= this.#log.nextId();
    return this.#id;
  }

  /** The type and the id of a resource, between the quotation marks of two texts. */
  #nameText({ type, id }: AskedResource): string {
    if (type !== this.#type) {
      this.#type = type;
      this.#typeText = `","type":${JSON.stringify(type)},"id":"`;
    }
    return this.#typeText + quoted(id);
  }

  end(): Promise<void> | undefined {
    const { allow, neutral, deny } = this.#counts;
    const effect = deny > 0 ? "deny" : neutral > 0 || allow === 0 ? "neutral" : "allow";
    if (this.#selected === 0 && !this.#log.wants(effect)) return undefined;
    const { encoder } = this.#log;
    const { entrance, requestId, call } = this.#question;
    const head = this.#head === "" ? this.#headOfNothing() : this.#head;
    const start =
      encoder.head(this.#recordId(), entrance, encoder.parts.caller(call), this.#revision) +
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

/** An item between its resource and the statement that decided. */
const DECISIONS = {
  allow: '"},"decision":true,"determining":[',
  neutral: '"},"decision":false,"effect":"neutral","determining":[',
  deny: '"},"decision":false,"effect":"deny","determining":[',
} as const;

/** True for a subject that makes the same record. Its policies may have been looked up anew. */
function isSame(one: BatchSubject, other: BatchSubject | undefined): boolean {
  return (
    other !== undefined &&
    one.user === other.user &&
    one.subjectType === other.subjectType &&
    one.action === other.action &&
    one.context === other.context &&
    one.asserted === other.asserted &&
    one.loaded?.policies === other.loaded?.policies &&
    one.loaded?.asserted === other.loaded?.asserted
  );
}
