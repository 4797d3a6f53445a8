/** Traces as the environment asks for them (`OTEL_*`). */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { readTracing } from "../config/tracing.ts";
import type { Logger } from "../observe/log/logger.ts";
import type { Traces } from "../tracing/traces.ts";
import { assertTracingPackages } from "./needed-packages.ts";

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
