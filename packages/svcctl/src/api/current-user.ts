import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import type { User } from "@svc-authorizer/contract/management-api.gen.ts";
import type { CommandCall } from "../command.ts";
import type { ApiClient } from "./api-client.ts";
import { answerTo } from "./operation.ts";

/** The user whose access key is in use, as `GET /user` has it. */
export async function fetchCurrentUser(api: ApiClient): Promise<User> {
  const { user } = await answerTo(api, "GET /user");
  if (typeof user?.id !== "string" || user.id === "") throw new Error("Bad response from server");
  return user;
}

/**
 * The user that an option names, or without it the one whose access key is in use.
 * @throws UsageFailure where it is given and empty: a script whose variable is empty means somebody else
 */
export async function namedOrCurrentUser(
  api: ApiClient,
  { options }: CommandCall,
  option: string,
): Promise<string> {
  const given = textOption(options, option);
  if (given === "") throw new UsageFailure(`--${option} is empty: leave it out for the current user`);
  return given ?? (await currentUser(api));
}

/** The name of that user. */
export async function currentUser(api: ApiClient): Promise<string> {
  return (await fetchCurrentUser(api)).id;
}
