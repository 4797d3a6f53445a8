import type { ApiClient, JsonObject } from "./api-client.ts";

/** The user whose access key is in use, as `GET /user` has it. */
export async function fetchCurrentUser(api: ApiClient): Promise<JsonObject & { readonly id: string }> {
  const { user } = await api.fetchObject({ method: "GET", path: ["user"], expect: 200 });
  const { id } = (user ?? {}) as { id?: unknown };
  if (typeof id !== "string" || id === "") throw new Error("Bad response from server");
  return { ...(user as JsonObject), id };
}

/** The name of that user. */
export async function currentUser(api: ApiClient): Promise<string> {
  return (await fetchCurrentUser(api)).id;
}
