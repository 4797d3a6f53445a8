/** What a start says as long as nobody has set up the first administrator (security.md §6.2). */

import type { SetupOffer } from "../../compose/setup.ts";

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
