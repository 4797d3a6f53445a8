/** Traces as the environment asks for them (`OTEL_*`). */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import type { ConfigValues } from "../config/table.ts";
import { readTracing } from "../config/tracing.ts";
import type { RequestTraces } from "../http/ports.ts";
import type { Logger } from "../observe/log/logger.ts";
import { withoutCallers } from "../tracing/hidden-callers.ts";
import type { Traces } from "../tracing/traces.ts";
import { assertTracingPackages } from "./needed-packages.ts";
import { maskedParts } from "./records/told-parts.ts";

/**
 * The traces of the requests of a listener; undefined if there are none. Who called is left out where the decision log masks
 * it, and a person also where it masks subjects: calls of the management API are decisions about who makes them.
 * @param callers `people`: of the management API
 */
export function requestTraces(
  { values, traces }: { readonly values: ConfigValues; readonly traces: Traces | undefined },
  callers: "people" | "programs",
): RequestTraces | undefined {
  if (traces === undefined) return undefined;
  const isMasked = maskedParts(values);
  const isHidden = isMasked("caller") || (callers === "people" && isMasked("subject"));
  return isHidden ? withoutCallers(traces.requests) : traces.requests;
}

/**
 * Opens the traces; undefined if none are asked for, and then nothing of OpenTelemetry is loaded.
 * @throws AuthorizerError "invalid_request" where its packages are not installed
 */
export async function openServiceTraces(
  environment: Environment,
  logger: Logger,
  version: string,
): Promise<Traces | undefined> {
  const { settings, warnings } = readTracing(environment);
  for (const problem of warnings) logger.warn("traces", { problem });
  if (settings === undefined) return undefined;
  assertTracingPackages();
  const { openTraces } = await import("../tracing/open-traces.ts");
  return openTraces({ ...settings, version, log: logger });
}
