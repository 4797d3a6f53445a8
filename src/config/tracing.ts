/** The standard variables of OpenTelemetry (`OTEL_*`) that decide whether and how requests are traced. */

import type { Environment } from "@svc-authorizer/commands/environment.ts";

/** Names of samplers (`OTEL_TRACES_SAMPLER`). */
type SamplerName = "always_on" | "always_off" | "traceidratio";

/** Settings of traces. The exporter reads its own: endpoint, headers, time limit, compression, certificates. */
interface TracingSettings {
  readonly sampler: SamplerName;
  /** Share of the requests that are traced, 0…1, for `traceidratio`. */
  readonly ratio: number;
  /** True if a caller that names a trace decides whether its request is traced. */
  readonly followsCaller: boolean;
  /** Spans that wait for their export at most; further ones are lost. */
  readonly queue: number;
  /** Most spans of one export. */
  readonly batch: number;
  /** Milliseconds between two exports. */
  readonly delayMs: number;
  /** Milliseconds that an export may take. */
  readonly exportMs: number;
  /** Longest text of an attribute, in characters. */
  readonly textLength: number;
}

/** The variables, as they were read. */
interface ReadTracing {
  /** Undefined: nothing is traced. */
  readonly settings: TracingSettings | undefined;
  /** Problems for the log; each names its variable. */
  readonly warnings: readonly string[];
}

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
const PROTOCOLS = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
const PROTOCOL = "http/protobuf";
const SAMPLERS: ReadonlySet<string> = new Set<SamplerName>(["always_on", "always_off", "traceidratio"]);
const PARENT_BASED = "parentbased_";
const LONGEST_TEXT = 1_024;

/**
 * Reads the variables. Traces are on if an OTLP endpoint is named or `OTEL_TRACES_EXPORTER` is `otlp`, and
 * `OTEL_SDK_DISABLED` is not `true`. As OpenTelemetry asks, a faulty value is reported and its default is used.
 */
export function readTracing(environment: Environment): ReadTracing {
  const warnings: string[] = [];
  const text = (name: string): string => (environment[name] ?? "").trim();
  const off = { settings: undefined, warnings };
  const exporter = text("OTEL_TRACES_EXPORTER").toLowerCase();
  const named = ENDPOINTS.some((name) => text(name) !== "");
  if (text("OTEL_SDK_DISABLED").toLowerCase() === "true" || exporter === "none") return off;
  if (exporter === "" && !named) return off;
  if (exporter !== "" && exporter !== "otlp") {
    warnings.push("OTEL_TRACES_EXPORTER: only otlp and none are known here; nothing is traced");
    return off;
  }
  const protocolAt = PROTOCOLS.find((name) => text(name) !== "");
  if (protocolAt !== undefined && text(protocolAt) !== PROTOCOL) {
    warnings.push(
      `${protocolAt}: only ${PROTOCOL} is known here (port 4318 of a collector); nothing is traced`,
    );
    return off;
  }
  const number = (name: string, fallback: number): number => {
    const given = text(name);
    if (/^\d{1,9}$/.test(given) && Number(given) > 0) return Number(given);
    if (given !== "") warnings.push(`${name}: expected a whole number above 0; ${fallback} is used`);
    return fallback;
  };
  const queue = number("OTEL_BSP_MAX_QUEUE_SIZE", 2_048);
  return {
    settings: {
      ...samplerOf(text("OTEL_TRACES_SAMPLER"), text("OTEL_TRACES_SAMPLER_ARG"), warnings),
      queue,
      batch: Math.min(number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512), queue),
      delayMs: number("OTEL_BSP_SCHEDULE_DELAY", 5_000),
      exportMs: number("OTEL_BSP_EXPORT_TIMEOUT", 30_000),
      textLength: number(
        "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
        number("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", LONGEST_TEXT),
      ),
    },
    warnings,
  };
}

function samplerOf(
  given: string,
  argument: string,
  warnings: string[],
): Pick<TracingSettings, "sampler" | "ratio" | "followsCaller"> {
  const whole = given === "" ? "parentbased_always_on" : given.toLowerCase();
  const followsCaller = whole.startsWith(PARENT_BASED);
  const name = followsCaller ? whole.slice(PARENT_BASED.length) : whole;
  if (!SAMPLERS.has(name)) {
    warnings.push("OTEL_TRACES_SAMPLER: this sampler is not known here; parentbased_always_on is used");
    return { sampler: "always_on", ratio: 1, followsCaller: true };
  }
  const sampler = name as SamplerName;
  if (sampler !== "traceidratio") return { sampler, ratio: sampler === "always_on" ? 1 : 0, followsCaller };
  const ratio = argument === "" ? 1 : Number(argument);
  if (ratio >= 0 && ratio <= 1) return { sampler, ratio, followsCaller };
  warnings.push("OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1; 1 is used");
  return { sampler, ratio: 1, followsCaller };
}
