/** Whom a command is about. */

import { textOption } from "../../command-spec.ts";
import type { ApiClient } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";

/** The value of a required option. */
export function given({ options }: CommandCall, name: string): string {
  return textOption(options, name) ?? "";
}

/** The user that an option names, else the one who is asking: `GET /user`. */
export async function userOrSelf(api: ApiClient, { options }: CommandCall, name: string): Promise<string> {
  const named = textOption(options, name) ?? "";
  if (named !== "") return named;
  const { user } = await api.fetchObject({ method: "GET", path: ["user"], expect: 200 });
  const { id } = (user ?? {}) as { id?: unknown };
  if (typeof id !== "string" || id === "") throw new Error("Bad response from server");
  return id;
}
