import { describe, expect, it } from "vitest";
import { readTracing } from "../../src/config/tracing.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

describe("the variables of OpenTelemetry", () => {
  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: "a", OTEL_TRACES_SAMPLER: "always_on" }, false],
    [ENDPOINT, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }, true],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }, false],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" }, false],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }, true],
  ])("%j turn traces on: %s", (environment, on) => {
    const { settings, warnings } = readTracing(environment);
    expect([settings !== undefined, warnings]).toEqual([on, []]);
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: "console" }, "OTEL_TRACES_EXPORTER"],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL"],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" }, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"],
  ])("%j name what this service cannot do: a warning, no traces", (environment, variable) => {
    const { settings, warnings } = readTracing(environment);
    expect(settings).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(variable);
  });

  it("have the defaults of OpenTelemetry", () => {
    expect(readTracing(ENDPOINT).settings).toEqual({
      sampler: "always_on",
      ratio: 1,
      followsCaller: true,
      queue: 2048,
      batch: 512,
      delayMs: 5000,
      exportMs: 30000,
      textLength: 1024,
    });
  });

  it.each([
    ["traceidratio", "0.1", { sampler: "traceidratio", ratio: 0.1, followsCaller: false }],
    ["parentbased_traceidratio", "1e-3", { sampler: "traceidratio", ratio: 0.001, followsCaller: true }],
    ["always_off", "", { sampler: "always_off", followsCaller: false }],
  ])("sample by %s %s", (name, argument, expected) => {
    const variables = { ...ENDPOINT, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(readTracing(variables)).toMatchObject({ settings: expected, warnings: [] });
  });

  it("are all named where they are faulty, and the defaults are used", () => {
    const faulty = {
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "2",
      OTEL_BSP_MAX_QUEUE_SIZE: "-1",
      OTEL_BSP_SCHEDULE_DELAY: "soon",
    };
    const { settings, warnings } = readTracing({ ...ENDPOINT, ...faulty });
    expect(settings).toMatchObject({ ratio: 1, queue: 2048, delayMs: 5000 });
    expect(warnings.map((text) => text.split(":")[0]).sort()).toEqual([
      "OTEL_BSP_MAX_QUEUE_SIZE",
      "OTEL_BSP_SCHEDULE_DELAY",
      "OTEL_TRACES_SAMPLER_ARG",
    ]);
    expect(warnings.join()).not.toContain("soon");
    expect(readTracing({ ...ENDPOINT, OTEL_TRACES_SAMPLER: "jaeger_remote" }).warnings).toHaveLength(1);
  });

  it("never export more spans at once than wait", () => {
    expect(readTracing({ ...ENDPOINT, OTEL_BSP_MAX_QUEUE_SIZE: "10" }).settings?.batch).toBe(10);
  });
});
