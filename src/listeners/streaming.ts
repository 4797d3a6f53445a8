/** The streaming listener of the exchange (spec/exchange §6). It serves where `authorizer.exchange.streaming_address` is set. */

import type { DecisionMeters } from "../api/decisions/ports.ts";
import { openStreaming, type StreamingOptions } from "../api/streaming/streaming.ts";
import { Admission } from "../http/admission.ts";
import type { HttpLimits } from "../http/limits.ts";
import { serve } from "../http/pipeline.ts";
import type { HttpCounters, HttpLog, RequestTraces, Revisions } from "../http/ports.ts";
import type { ListenerPlaces } from "../http/server/connection-places.ts";
import {
  createManagedServer,
  type ManagedServer,
  type TlsMaterial,
} from "../http/server/server-lifecycle.ts";

/** Options of {@link createStreamingListener}. */
interface StreamingListenerOptions {
  readonly streaming: Omit<StreamingOptions, "idleMs" | "mostAtOnce">;
  readonly limits: HttpLimits;
  readonly log: HttpLog;
  readonly counters: HttpCounters & DecisionMeters;
  /** Absent: connections are not bounded. */
  readonly places?: ListenerPlaces;
  readonly tls?: TlsMaterial;
  readonly revisions?: Revisions;
  readonly traces?: RequestTraces | undefined;
}

/** Bodies that may be under way at once: each takes a few hundred kilobytes. */
const MOST_STREAMS = 256;

/** Builds the listener; it does not listen yet. */
export function createStreamingListener(options: StreamingListenerOptions): ManagedServer {
  const { limits, counters, log, tls, streaming } = options;
  const mostAtOnce = Math.min(limits.queue, MOST_STREAMS);
  const admission = new Admission({ ...limits, queue: mostAtOnce }, counters);
  const idleMs = limits.requestTimeoutMs;
  const api = openStreaming({ ...streaming, idleMs, mostAtOnce }, { counters, log });
  const managed = createManagedServer({
    ...{ admission, counters, limits, log },
    places: options.places,
    ...(options.revisions && { revisions: unnamed(options.revisions) }),
    traces: options.traces,
    ...(tls === undefined ? {} : { tls }),
    handler: (exchange) => serve(exchange, api.route),
  });
  return {
    ...managed,
    close: async () => {
      await managed.close();
      api.close();
    },
  };
}

/** Revisions that nobody is told or may wait for: headers are those of clients of the data server, and answers go to them. */
function unnamed(revisions: Revisions): Revisions {
  return {
    current: () => {
      revisions.current();
      return "";
    },
    reached: () => undefined,
    proving: (call, work, what) => revisions.proving(call, work, what),
  };
}
