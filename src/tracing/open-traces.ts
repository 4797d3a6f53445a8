/**
 * Traces by the SDK of OpenTelemetry. The packages are known to this room alone, and it is loaded only where traces are
 * on. No part of it waits for an export: spans go into a bounded queue, and those that find no room are lost.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { Socket } from "node:net";
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SamplingDecision,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { RequestSpan, TracedRequest } from "../http/ports.ts";
import { childSpans } from "./child-spans.ts";
import { CountedExports, type ExportLog } from "./counted-exports.ts";
import { type Current, RequestTrace } from "./request-trace.ts";
import type { Traces } from "./traces.ts";

/** Options of {@link openTraces}. */
interface TracesOptions {
  readonly sampler: "always_on" | "always_off" | "traceidratio";
  readonly ratio: number;
  readonly followsCaller: boolean;
  readonly queue: number;
  readonly batch: number;
  readonly delayMs: number;
  readonly exportMs: number;
  readonly textLength: number;
  /** Version of the package. */
  readonly version: string;
  readonly log: ExportLog;
}

const NAME = "svc-authorizer";
const CLOSE_WITHIN_MS = 5_000;

/** Opens the traces. The exporter reads the `OTEL_EXPORTER_OTLP_*` variables itself. */
export function openTraces(options: TracesOptions): Traces {
  const counters = { ended: 0, exported: 0, failed: 0 };
  const sampler = samplerOf(options);
  const random = new RandomIdGenerator();
  const next = { traceId: "" };
  const exporter = new OTLPTraceExporter({ httpAgentOptions: agentFor });
  const exports = new CountedExports(exporter, counters, options.log);
  const provider = new TracerProvider({
    resource: resourceOf(options.version),
    sampler,
    idGenerator: {
      generateTraceId: () => next.traceId,
      generateSpanId: () => random.generateSpanId(),
    },
    spanLimits: { attributeValueLengthLimit: options.textLength },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: exports,
        maxQueueSize: options.queue,
        maxExportBatchSize: options.batch,
        scheduledDelayMillis: options.delayMs,
        exportTimeoutMillis: options.exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer(NAME, options.version);
  const current = new AsyncLocalStorage<Current>();

  const begin = (request: TracedRequest): RequestSpan | undefined => {
    const parent = request.traceParent === undefined ? ROOT_CONTEXT : parentOf(request);
    // Most requests are not sampled: this much is all that they cost.
    const traceId = trace.getSpanContext(parent)?.traceId ?? random.generateTraceId();
    const { decision } = sampler.shouldSample(parent, traceId, "", SpanKind.SERVER, {}, []);
    if (decision === SamplingDecision.NOT_RECORD) return undefined;
    next.traceId = traceId;
    const { method, path, requestId, startedAt: startTime } = request;
    const attributes = {
      "http.request.method": method,
      "http.route": path,
      "svc_authorizer.request_id": requestId,
    };
    const span = tracer.startSpan(
      `${method} ${path}`,
      { kind: SpanKind.SERVER, startTime, attributes },
      parent,
    );
    return new RequestTrace(span, trace.setSpan(ROOT_CONTEXT, span), current, counters);
  };

  return {
    requests: { begin },
    get active() {
      return current.getStore()?.request.isOpen === true;
    },
    within: childSpans(tracer, current, counters),
    decided: (effect) => current.getStore()?.request.decided(effect),
    describe: (attributes) => current.getStore()?.request.describe(attributes),
    counters,
    close: () => closed(provider, exports),
  };
}

const propagator = new W3CTraceContextPropagator();

function parentOf({ traceParent, traceState }: TracedRequest): Context {
  const carrier = { traceparent: traceParent, tracestate: traceState };
  return propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

function samplerOf({ sampler, ratio, followsCaller }: TracesOptions): Sampler {
  const root =
    sampler === "always_on"
      ? new AlwaysOnSampler()
      : sampler === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsCaller ? new ParentBasedSampler({ root }) : root;
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over what is known here. */
function resourceOf(version: string) {
  const own = resourceFromAttributes({ "service.name": NAME, "service.version": version });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Connections to the collector, none of which keeps a process that has ended its work. */
function agentFor(protocol: string): Agent {
  const agent = protocol === "https:" ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const socket = connect(options, done);
    if (socket instanceof Socket) socket.unref();
    return socket;
  };
  return agent;
}

async function closed(provider: TracerProvider, exports: CountedExports): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, CLOSE_WITHIN_MS);
  await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
  clearTimeout(timer);
  exports.giveUp();
}
