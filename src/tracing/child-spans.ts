/** Spans of parts of the work of a request. */

import type { AsyncLocalStorage } from "node:async_hooks";
import { type Span, type Tracer, trace } from "@opentelemetry/api";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Current } from "./request-trace.ts";
import type { TraceCounters, Traces } from "./traces.ts";

/** Child spans of one request; further work runs without one. */
const MOST_CHILDREN = 64;

/** Builds {@link Traces.within}. */
export function childSpans(
  tracer: Tracer,
  current: AsyncLocalStorage<Current>,
  counters: TraceCounters,
): Traces["within"] {
  const ended = (span: Span): void => {
    span.end();
    counters.ended++;
  };
  const failed = (span: Span, error: unknown): never => {
    span.setAttribute("error.type", errorType(error));
    ended(span);
    throw error;
  };
  return (name, work, about) => {
    const here = current.getStore();
    if (here === undefined || !here.request.takesChild(MOST_CHILDREN)) return work();
    const span = tracer.startSpan(name, undefined, here.context);
    const finish = (result: unknown): void => {
      if (about !== undefined) span.setAttributes({ ...about(result as never) } as never);
      ended(span);
    };
    const store = { request: here.request, context: trace.setSpan(here.context, span) };
    let result: ReturnType<typeof work>;
    try {
      result = current.run(store, work);
    } catch (error) {
      return failed(span, error);
    }
    if (!(result instanceof Promise)) {
      finish(result);
      return result;
    }
    const late = result.then(
      (value: unknown) => {
        finish(value);
        return value;
      },
      (error: unknown) => failed(span, error),
    );
    return late as typeof result;
  };
}

/** The kind of an error; never its message, which may name what a trace must not hold. */
function errorType(error: unknown): string {
  if (error instanceof AuthorizerError) return error.code;
  return error instanceof Error ? error.name : "error";
}
