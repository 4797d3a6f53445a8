/** Implements `svc-authorizer superuser`: it adds an administrator while the service is not running. */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { addAdministrator } from "../../bootstrap/first-administrator.ts";
import type { DataParts } from "../../compose/data.ts";
import { auditingUnknownOnce, auditOnce, openOfflineData } from "../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import { type AdministratorConfigFlags, administratorConfig } from "./administrator-config.ts";
import {
  type AdministratorFlags,
  type AskSecret,
  administratorOf,
  askAtTerminal,
  printAdministrator,
} from "./administrator-options.ts";

/** Creates the administrator and prints the key. Answers the exit code; throws AuthorizerError where it cannot be done. */
async function runSuperuser(
  values: ConfigValues,
  flags: AdministratorFlags,
  { edge, env, ask }: { edge: Pick<ProcessEdge, "stdout">; env: Environment; ask: AskSecret },
): Promise<number> {
  const administrator = await administratorOf(flags, env, ask);
  const asked = { what: "superuser", admin: administrator.username };
  const made = await auditingUnknownOnce(values, "setup", asked, () =>
    withDirectory(values, ({ directory }) =>
      addAdministrator({ directory, guards: values["authorizer.guards"] }, administrator),
    ),
  ).catch((error: unknown) => {
    if (!isErrorCode(error, "unavailable")) throw error;
    const message = `${error.message} Stop the service first, or use svcctl with an administrator's key.`;
    throw new AuthorizerError("unavailable", message, { cause: error });
  });
  await auditOnce(values, "setup", { ...asked, access_key_id: made.access_key_id });
  printAdministrator(made, flags.json ?? false, edge.stdout);
  return EXIT.ok;
}

/**
 * Runs `work` on the configured store, which no service may have open if it is a local one.
 * @throws AuthorizerError "unavailable" when the store is in use, "invalid_request" for a store in memory
 */
export async function withDirectory<T>(
  values: ConfigValues,
  work: (data: DataParts) => Promise<T>,
): Promise<T> {
  if (values["database.type"] === "mem") {
    const message = "database.type mem keeps nothing beyond the process: there is no store to work on";
    throw new AuthorizerError("invalid_request", message);
  }
  const data = await openOfflineData(values);
  try {
    return await work(data);
  } finally {
    await data.close();
  }
}

/** The command on the command line. */
export async function superuser(call: CommandCall): Promise<void> {
  const flags = flagsOf<AdministratorConfigFlags & AdministratorFlags>(call);
  const { edge, env } = call.context;
  const { values } = administratorConfig(call.context, flags, "run");
  call.context.finish(await runSuperuser(values, flags, { edge, env, ask: askAtTerminal }));
}
