/** `svc-authorizer run`: starts the service and keeps it until a signal. */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { VERSION } from "@svc-authorizer/commands/new-program.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { isBreakingOff } from "../../compose/breaking-off.ts";
import { assertUsable, loadServiceConfig } from "../../compose/configuration.ts";
import { openData, openLog } from "../../compose/data.ts";
import { type RunningService, startService } from "../../compose/service.ts";
import { openServiceTraces } from "../../compose/traces.ts";
import type { FlagValue, LoadedConfig, LoadOptions } from "../../config/load.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import { type ConfigFlags, itemFlagsOf } from "../command-context.ts";
import {
  hasOwnDatasets,
  prepareQuickstart,
  type QuickstartFlags,
  quickstartConfig,
  quickstartFolder,
} from "./quickstart.ts";
import { forgetUserUrl, noteUserUrl } from "./quickstart-address.ts";
import { greetingBlock, readyLines, type StartedService } from "./start-greeting.ts";

/** Options of `run`. */
interface RunOptions extends QuickstartFlags {
  readonly config?: string;
  readonly keepSessions?: boolean;
}

/** A second signal within this time is the first one again: npm forwards what the terminal sent to all. */
const SAME_SIGNAL_MS = 1000;

/** Runs until a signal; resolves with the exit code once everything is closed. Throws what a start throws. */
async function runService(
  options: RunOptions,
  flags: readonly FlagValue[],
  edge: ProcessEdge,
  env: Environment,
  version: string,
): Promise<number> {
  const quickstart = options.quickstart ? prepareQuickstart(quickstartFolder(options)) : undefined;
  const load: LoadOptions =
    quickstart === undefined
      ? { env, flags, ...(options.config === undefined ? {} : { configFile: options.config }) }
      : quickstartConfig(quickstart, flags, env);
  const running: { service?: RunningService; isAskedAgain?: boolean } = {};
  edge.onReload(() => {
    // What is read for the start may be older than what the signal means.
    if (running.service === undefined) running.isAskedAgain = true;
    else void reload(running.service, load);
  });
  const loaded = loadServiceConfig(load);
  await assertUsable(loaded);
  // Listens before the start: a program that reads the ready line may send a signal at once.
  const stopped = stopSignal(edge);
  const ending = new AbortController();
  void stopped.then(() => running.service === undefined && ending.abort());
  const service = await start(loaded, env, version, {
    nextFreePort: quickstart !== undefined,
    keepSessions: options.keepSessions === true,
    ending: ending.signal,
  });
  if (service === undefined) return EXIT.ok;
  running.service = service;
  if (running.isAskedAgain === true) await reload(service, load);
  const { user } = service.addresses;
  if (quickstart !== undefined) noteUserUrl(quickstart.folder, user);
  const started: StartedService = {
    version,
    addresses: service.addresses,
    setup: service.setup,
    ...(quickstart !== undefined && {
      quickstart: {
        tokenFile: quickstart.tokenFile,
        data: options.data,
        hasOwnDatasets: hasOwnDatasets(loaded.values["authorizer.datasets"]),
      },
    }),
    env,
    cwd: process.cwd(),
  };
  edge.stdout.write(edge.stdout.isTTY === true ? greetingBlock(started) : readyLines(started));
  await stopped;
  if (quickstart !== undefined) forgetUserUrl(quickstart.folder);
  await service.stop();
  return EXIT.ok;
}

/** Ways of a start, and the signal that ends one that takes long. */
interface StartOptions {
  readonly nextFreePort: boolean;
  readonly keepSessions: boolean;
  readonly ending: AbortSignal;
}

/** Starts the service; undefined where the start was broken off. Throws where it fails. */
async function start(
  { values, warnings }: LoadedConfig,
  env: Environment,
  version: string,
  { nextFreePort, keepSessions, ending }: StartOptions,
): Promise<RunningService | undefined> {
  const logger = openLog(values);
  for (const warning of warnings) logger.warn("configuration", { problem: formatProblem(warning) });
  try {
    const traces = await openServiceTraces(env, logger, version);
    const data = await openData(values, logger, { traces, keepSessions, ending });
    return await startService(data, { version, env: (name) => env[name], nextFreePort, ending });
  } catch (error) {
    await logger.close();
    if (isBreakingOff(error, ending)) return undefined;
    throw error;
  }
}

async function reload(service: RunningService, load: LoadOptions): Promise<void> {
  const { logger } = service.data;
  try {
    await service.reload(loadServiceConfig(load).values);
  } catch (error) {
    logger.error("the configuration could not be read again; the former one stays in force", { error });
  }
}

/** Resolves at the first signal to stop; a later one, not merely the same again, ends the process at once. */
function stopSignal(edge: ProcessEdge): Promise<void> {
  return new Promise((resolvePromise) => {
    let first: number | undefined;
    edge.onStop(() => {
      const now = performance.now();
      if (first === undefined) {
        first = now;
        resolvePromise();
      } else if (now - first > SAME_SIGNAL_MS) edge.abort(EXIT.failed);
    });
  });
}

/** The command on the command line. */
export async function run(call: CommandCall): Promise<void> {
  const flags = flagsOf<RunOptions & ConfigFlags>(call);
  const { context } = call;
  context.finish(await runService(flags, itemFlagsOf(context, flags), context.edge, context.env, VERSION));
}
