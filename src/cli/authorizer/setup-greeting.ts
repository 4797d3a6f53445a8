/** What a start says as long as nobody has set up the first administrator (security.md §6.2). */

import type { SetupOffer } from "../../compose/setup.ts";
import type { Environment } from "../../config/environment.ts";
import { shownPath } from "./quickstart.ts";

/** The lines after the ready line: the one-time token, and where it is kept. */
export function setupGreeting({ token, file }: SetupOffer, userUrl: string): string {
  const kept = file === undefined ? "" : ` (kept in ${file})`;
  const using = file === undefined ? "" : ` --token-file ${file}`;
  return [
    `setup token ${token}${kept}`,
    `No administrator yet: svc-authorizer setup --user-name NAME --server ${userUrl}${using}`,
    "",
  ].join("\n");
}

/**
 * The same for the quick start: a command that works as it is from the folder of the start.
 * @param data value of `--data`, where it was given
 */
export function quickstartSetupGreeting(
  { token, file = "" }: SetupOffer,
  data: string | undefined,
  { env, cwd }: { env: Environment; cwd: string },
): string {
  const folder = data === undefined ? "" : ` --data '${data}'`;
  return [
    `setup token ${token} (kept in ${shownPath(file, cwd)})`,
    "No administrator yet. This makes one, and configures svcctl with the key:",
    `${programName(env)} setup --quickstart${folder} --user-name admin --write-config`,
    "",
  ].join("\n");
}

/** How the program was called: npm names the script that it runs. */
function programName(env: Environment): string {
  const isScript = /^(start|svc-authorizer)$/.test(env["npm_lifecycle_event"] ?? "");
  return isScript ? "npm run -s svc-authorizer --" : "svc-authorizer";
}
