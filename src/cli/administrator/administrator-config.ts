/** Finds the store for `setup` and `superuser`: in the configuration that `run` reads, or in the quick start's. */

import { existsSync } from "node:fs";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { ConfigError } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { loadServiceConfig } from "../../compose/configuration.ts";
import type { LoadOptions } from "../../config/load.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CommandContext, type ConfigFlags, itemFlagsOf, loadOptionsOf } from "../command-context.ts";
import {
  isQuickstart,
  prepareQuickstart,
  type QuickstartFlags,
  quickstartConfig,
  quickstartFolder,
} from "../run/quickstart.ts";
import { notedUserUrl } from "../run/quickstart-address.ts";

/** Flags that say which store is meant. */
export type AdministratorConfigFlags = ConfigFlags & QuickstartFlags;

/** A configuration, and where its service answers people in case only that knows. */
interface AdministratorConfig {
  readonly values: ConfigValues;
  readonly runningAt: string | undefined;
}

/**
 * Reads it.
 * @throws ConfigError, or AuthorizerError "invalid_request" where there is no quick start
 */
export function administratorConfig(
  context: CommandContext,
  flags: AdministratorConfigFlags,
  requirements: NonNullable<LoadOptions["requirements"]>,
): AdministratorConfig {
  const folder = quickstartFolder(flags);
  if (flags.quickstart === true) {
    if (!isQuickstart(folder)) {
      const message = `there is no quick start in ${folder}: npm start, or svc-authorizer run --quickstart, makes one`;
      throw new AuthorizerError("invalid_request", message);
    }
    const load = quickstartConfig(prepareQuickstart(folder), itemFlagsOf(context, flags), context.env);
    return { values: loadServiceConfig(load).values, runningAt: notedUserUrl(folder) };
  }
  try {
    const { values } = loadServiceConfig({ ...loadOptionsOf(context, flags), requirements });
    return { values, runningAt: undefined };
  } catch (error) {
    if (error instanceof ConfigError && flags.config === undefined && existsSync(folder)) {
      context.edge.stderr.write(`the quick start in ${folder} is meant with --quickstart; without it:\n`);
    }
    throw error;
  }
}
