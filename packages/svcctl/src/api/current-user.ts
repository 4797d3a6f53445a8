import type { User } from "@svc-authorizer/contract/management-api.gen.ts";
import type { ApiClient } from "./api-client.ts";
import { answerTo } from "./operation.ts";

/** The user whose access key is in use, as `GET /user` has it. */
export async function fetchCurrentUser(api: ApiClient): Promise<User> {
  const { user } = await answerTo(api, "GET /user");
  if (typeof user?.id !== "string" || user.id === "") throw new Error("Bad response from server");
  return user;
}

/** The name of that user. */
export async function currentUser(api: ApiClient): Promise<string> {
  return (await fetchCurrentUser(api)).id;
}
