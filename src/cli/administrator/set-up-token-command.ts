/** Implements `svc-authorizer set-up token`: it prints the one-time token of a service that nobody has set up. */

import { readFile } from "node:fs/promises";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isSetUp } from "../../bootstrap/first-administrator.ts";
import { derivedToken } from "../../bootstrap/setup-token.ts";
import { setupTokenFile } from "../../config/setup-token-file.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import { type AdministratorConfigFlags, administratorConfig } from "./administrator-config.ts";
import { withDirectory } from "./superuser-command.ts";

/** The command on the command line. */
export async function setUpToken(call: CommandCall): Promise<void> {
  const flags = flagsOf<AdministratorConfigFlags>(call);
  const { edge } = call.context;
  const { values } = administratorConfig(call.context, flags, "run");
  edge.stdout.write(`${await tokenOf(values)}\n`);
  call.context.finish(EXIT.ok);
}

/** @throws AuthorizerError "already_exists" where the set-up is done, "invalid_request" where nothing tells the token */
async function tokenOf(values: ConfigValues): Promise<string> {
  const kept = await keptToken(setupTokenFile(values));
  if (kept !== undefined) return kept;
  const token = derivedToken(values["auth.encrypt.secret_key"], await logIdOf(values));
  if (token !== undefined) return token;
  throw new AuthorizerError(
    "invalid_request",
    "without auth.encrypt.secret_key only the terminal of the service tells the token",
  );
}

async function keptToken(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    // Derived from what the service derives it from.
    return undefined;
  }
}

/** The id of the shared log; undefined for the store of one service. */
async function logIdOf(values: ConfigValues): Promise<string | undefined> {
  if (values["database.type"] === "mem") return undefined;
  try {
    return await withDirectory(values, async ({ directory, journal }) => {
      if (await isSetUp(directory)) {
        const message =
          "the set-up is done: svcctl with an administrator's key makes more, svc-authorizer superuser another one";
        throw new AuthorizerError("already_exists", message);
      }
      return journal?.logId;
    });
  } catch (error) {
    // A running service has the store of its own open.
    if (isErrorCode(error, "unavailable") && values["database.type"] === "local") return undefined;
    throw error;
  }
}
