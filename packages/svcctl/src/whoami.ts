/** `svcctl whoami`: the user whose access key is in use. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "./api/api-client.ts";
import { fetchCurrentUser } from "./api/current-user.ts";
import type { CommandCall } from "./command.ts";
import { printObject } from "./output/print.ts";

export async function whoami(call: CommandCall): Promise<void> {
  const user = await fetchCurrentUser(openApi(call.context));
  await printObject(call, user, () => `${safeText(user.id)}\n`);
}
