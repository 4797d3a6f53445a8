/** Traces of requests that do not name who called. */

import type { RequestSpan, RequestTraces } from "../http/ports.ts";

/** The same traces, whose spans leave the caller out. */
export function withoutCallers(traces: RequestTraces): RequestTraces {
  return {
    begin: (request) => {
      const span = traces.begin(request);
      return span && withoutCaller(span);
    },
  };
}

function withoutCaller(span: RequestSpan): RequestSpan {
  return {
    traceParent: span.traceParent,
    run: (work) => span.run(work),
    answered: (answer) => span.answered({ ...answer, caller: "" }),
    abandoned: (begun) => span.abandoned(begun),
  };
}
