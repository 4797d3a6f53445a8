/** Calls of the management API by the operations of its contract. */

import type { RestRequest } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import type { Operations } from "@svc-authorizer/contract/management-api.gen.ts";
import type { ApiClient } from "./api-client.ts";

/** Method and path of an operation whose success is 200. */
type OperationName = keyof Operations;

/** The names of an answer. The server may be another than this version's: the values are read as anybody may send them. */
export type Answer<O extends OperationName> = Operations[O]["answer"];

interface Input<O extends OperationName> {
  readonly path?: Operations[O]["path"];
  readonly query?: Operations[O]["query"];
  readonly body?: Readonly<Record<string, unknown>>;
  /** Members without which what came is no answer. */
  readonly members?: readonly string[];
}

/** Makes a call and returns its answer. Throws as {@link ApiClient.fetchObject}. */
export async function answerTo<O extends OperationName>(
  api: ApiClient,
  operation: O,
  { path = {}, query, body, members }: Input<O> = {},
): Promise<Answer<O>> {
  const [method = "", template = ""] = operation.split(" ");
  const values: ReadonlyMap<string, string> = new Map(Object.entries(path));
  const segments = template.slice(1).split("/");
  const answer: unknown = await api.fetchObject({
    method: method as RestRequest["method"],
    path: segments.map((one) => (one.startsWith("{") ? (values.get(one.slice(1, -1)) ?? "") : one)),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
    ...(members !== undefined && { members }),
    expect: 200,
  });
  return answer as Answer<O>;
}
