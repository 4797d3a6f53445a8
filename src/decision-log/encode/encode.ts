/**
 * Encodes decisions as the lines of the log (spec/decision-log §1). It is written by hand because a record must not cost
 * more than a decision: what repeats is remembered as text. A text lacks its closing brace, which the chain adds.
 */

import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import { ARN_TYPE } from "@svc-authorizer/policy/model/names.ts";
import type { Decided } from "../../decisions/decision-log.ts";
import { rememberLast } from "../../remember-last.ts";
import { RecordParts } from "./encode-parts.ts";
import { flat, jsonText, quoted } from "./json-text.ts";
import { recordedFields } from "./recorded-fields.ts";

/** The constant part of records. */
interface EncoderOptions {
  /** Name of the node (`authorizer.node_name`). */
  readonly node: string;
  /** Digest of the policy set. */
  readonly policySet: string;
  /** The current revision of the directory. */
  readonly revision: () => number;
  /** ENTRY of its position (spec/journal §6.1); "" where it is not known. Default: "". */
  readonly entry?: () => string;
  /** Milliseconds since 1970; default the clock. */
  readonly now?: () => number;
}

/** The moment of a decision. */
export interface DecidedAt {
  /** RFC 3339. */
  readonly time: string;
  /** Revision of the directory with its entry, as they stand in a record. */
  readonly revision: string;
  /** Address of the caller's peer. */
  readonly peer: string | undefined;
}

/** The members of a decision before the statements that determined it. */
const DECISIONS = {
  allow: ',"decision":true,"effect":"allow","determining":[',
  neutral: ',"decision":false,"effect":"neutral","determining":[',
  deny: ',"decision":false,"effect":"deny","determining":[',
} as const;

/** The text of a failed evaluation, which denies everything (spec/evaluation §2.1). */
const FAILED = '],"error":"a statement cannot be evaluated"';
/** End of the message that a refusal has for it alone. */
const FAILED_MESSAGE = "insufficient permissions: not allowed";

/** Encodes records. */
export class RecordEncoder {
  readonly parts = new RecordParts();
  readonly #options: EncoderOptions;
  readonly #now: () => number;
  readonly #node: string;
  readonly #policySet: string;
  /** The members from the time to the caller, which mostly are those of the record before. */
  readonly #originOf = rememberLast((time: string) =>
    rememberLast((revision: string) =>
      rememberLast((entrance: string) =>
        rememberLast((caller: string) =>
          flat('","at":"', time, this.#node, revision, this.#policySet, entrance, '"', caller),
        ),
      ),
    ),
  );
  readonly #revisionOf = rememberLast((revision: number) =>
    rememberLast((entry: string) => (entry === "" ? String(revision) : `${revision},"entry":"${entry}"`)),
  );
  readonly #timeOf = rememberLast(
    (now: number) => `${secondText(Math.floor(now / 1000))}${String(now % 1000).padStart(3, "0")}Z`,
  );

  constructor(options: EncoderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#node = `","node":${JSON.stringify(options.node)},"revision":`;
    this.#policySet = `,"policy_set":${JSON.stringify(options.policySet)},"entrance":"`;
  }

  /**
   * One decision.
   * @param at default: now
   */
  decision(decided: Decided, at: DecidedAt = this.now(decided.call)): string {
    const { id, entrance, requestId, call, loaded, outcome } = decided;
    const context = recordedFields(decided);
    const { parts } = this;
    return (
      this.head(id, entrance, parts.caller(call, at.peer), at.revision, at.time) +
      parts.asked(call, requestId) +
      parts.subject(decided.user, decided.subjectType, loaded, context) +
      questionText(decided) +
      parts.context(loaded?.policies, context) +
      DECISIONS[outcome.effect] +
      this.#determining(decided) +
      errorText(decided) +
      durationText(call)
    );
  }

  /** This moment, for a record that is encoded later. */
  now(call: Decided["call"]): DecidedAt {
    return { time: this.time(), revision: this.revision, peer: call?.peer };
  }

  /** The current revision of the directory, and behind it the member `entry` where it is known. */
  get revision(): string {
    const { revision, entry } = this.#options;
    return this.#revisionOf(revision())(entry?.() ?? "");
  }

  /** The members that every record begins with. */
  head(id: string, entrance: string, caller: string, revision = this.revision, time = this.time()): string {
    return `{"format":1,"id":"${id}${this.#originOf(time)(revision)(entrance)(caller)}`;
  }

  /** The time as RFC 3339. */
  time(): string {
    return this.#timeOf(this.#now());
  }

  #determining({ loaded, decidedBy }: Decided): string {
    if (loaded === undefined || decidedBy.length === 0) return "";
    if (decidedBy.length === 1) {
      return this.parts.statement(decidedBy[0] as (typeof decidedBy)[number], loaded);
    }
    const texts = new Set(decidedBy.map((one) => this.parts.statement(one, loaded)));
    return [...texts].join(",");
  }
}

/** The time as RFC 3339 up to the point behind a second (Unix seconds). */
const secondText = rememberLast((second: number) => new Date(second * 1000).toISOString().slice(0, -4));

/** The question: action and resource of a single permission, else the tree. */
function questionText({ required, resource, operation }: Decided): string {
  const shown = operation === undefined ? "" : `,"operation":${JSON.stringify(operation)}`;
  if (required === null || !("action" in required)) return `${shown},"required":${treeText(required)}`;
  const asked =
    resource === undefined || resource.type === ARN_TYPE
      ? ""
      : `,"type":${jsonText(resource.type)},"id":${jsonText(resource.id)}`;
  return `${shown},"action":"${quoted(required.action)}","resource":{"arn":"${quoted(required.resource)}"${asked}}`;
}

function treeText(required: RequiredPermissions | null): string {
  return JSON.stringify(required);
}

/** The end of the statements that determined a decision, and the error. */
function errorText({ error, outcome }: Decided): string {
  if (error !== undefined) return `],"error":${JSON.stringify(error)}`;
  return outcome.effect === "deny" && outcome.message === FAILED_MESSAGE ? FAILED : "]";
}

/** The time since the request arrived. */
export function durationText(call: Decided["call"]): string {
  const passed = call === undefined ? 0 : Math.round((performance.now() - call.startedAt) * 1000);
  return `,"duration_us":${Math.max(0, passed)}`;
}
