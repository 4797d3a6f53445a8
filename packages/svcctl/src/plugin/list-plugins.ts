/** `svcctl plugin list`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { findPlugins } from "./find-plugins.ts";

/** Prints the plugins; with `--verbose` their paths, and why other files are none. */
export async function listPlugins(call: CommandCall): Promise<void> {
  const { context } = call;
  const verbose = call.options["verbose"] === true || context.options.verbose === true;
  const found = findPlugins(context.env);
  const plugins = found
    .filter(({ fault }) => fault === undefined)
    .sort((one, other) => compareUtf8(one.path, other.path));
  if (verbose) {
    for (const { path, fault } of found) {
      if (fault !== undefined) context.err(`warning: ${safeText(path)} ${safeText(fault)}\n`);
    }
  }
  const shown = plugins.map(({ name, path }) => `  ${safeText(verbose ? path : name)}\n`);
  const title = "The following svcctl-compatible plugins are available:\n\n";
  await printObject(call, plugins, () => title + shown.join(""));
}
