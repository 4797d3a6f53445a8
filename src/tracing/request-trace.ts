/** The span of one request, and what is counted for it. */

import type { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import type { RequestSpan, TracedAnswer } from "../http/ports.ts";
import type { Attributes, TraceCounters } from "./traces.ts";

/** The owner of a part of the work: a request, and the span within it. */
export interface Current {
  readonly request: RequestTrace;
  readonly context: Context;
}

const EFFECTS = ["allow", "neutral", "deny"] as const;
const SERVER_ERROR = 500;

/** A traced request. */
export class RequestTrace implements RequestSpan {
  readonly traceParent: string;
  readonly #span: Span;
  readonly #current: AsyncLocalStorage<Current>;
  readonly #here: Current;
  readonly #counters: TraceCounters;
  readonly #decisions: Record<Effect, number> = { allow: 0, neutral: 0, deny: 0 };
  #children = 0;
  #leftOut = 0;
  #open = true;

  constructor(span: Span, context: Context, current: AsyncLocalStorage<Current>, counters: TraceCounters) {
    const { traceId, spanId } = span.spanContext();
    this.traceParent = `00-${traceId}-${spanId}-01`;
    this.#span = span;
    this.#current = current;
    this.#counters = counters;
    this.#here = { request: this, context };
  }

  /** False once it is answered: what still runs then has no span. */
  get isOpen(): boolean {
    return this.#open;
  }

  run(work: () => void): void {
    this.#current.run(this.#here, work);
  }

  /** Counts a child, if it may have one more. */
  takesChild(most: number): boolean {
    if (!this.#open) return false;
    if (this.#children < most) this.#children++;
    else {
      this.#leftOut++;
      return false;
    }
    return true;
  }

  /** Counts a decision. */
  decided(effect: Effect): void {
    this.#decisions[effect]++;
  }

  /** Adds attributes. */
  describe(attributes: Attributes): void {
    this.#span.setAttributes({ ...attributes } as never);
  }

  answered({ status, caller, revision }: TracedAnswer): void {
    if (!this.#open) return;
    const span = this.#span;
    span.setAttribute("http.response.status_code", status);
    if (caller !== "") span.setAttribute("svc_authorizer.caller", caller);
    if (revision !== "") span.setAttribute("svc_authorizer.revision", revision);
    if (status >= SERVER_ERROR) {
      span.setAttribute("error.type", String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#end();
  }

  abandoned(begun: boolean): void {
    if (!this.#open) return;
    if (!begun) this.#span.setAttribute("error.type", "caller_gone");
    this.#end();
  }

  #end(): void {
    this.#open = false;
    for (const effect of EFFECTS) {
      const count = this.#decisions[effect];
      if (count > 0) this.#span.setAttribute(`svc_authorizer.decisions.${effect}`, count);
    }
    if (this.#leftOut > 0) this.#span.setAttribute("svc_authorizer.spans_left_out", this.#leftOut);
    this.#span.end();
    this.#counters.ended++;
  }
}
