/** Calls of the management API, with the types of its OpenAPI document. */

import type { Operations } from "@svc-authorizer/contract/management-api.gen.ts";
import { ApiError, problemsIn } from "./api-error.ts";
import { send } from "./send.ts";
import { sentenceOf } from "./sentences.ts";

/** Method and path of an operation. */
export type OperationName = keyof Operations;

type None = Record<never, never>;
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? None
  : None extends Value
    ? { readonly [K in Name]?: Value }
    : { readonly [K in Name]: Value };

/** The input of an operation: values of its path, its query, and its body, as far as it has them. */
export type Input<O extends OperationName> = Part<"path", Operations[O]["path"]> &
  Part<"query", Operations[O]["query"]> &
  Part<"body", Operations[O]["body"]>;

/** The body of a successful answer. */
export type Answer<O extends OperationName> = Operations[O]["answer"];

/** An answer with the warnings that came with it, such as that a policy names an unknown action. */
export interface AnswerWithWarnings<O extends OperationName> {
  readonly answer: Answer<O>;
  readonly warnings: readonly string[];
}

interface AnyInput {
  readonly path?: Record<string, string>;
  readonly query?: Record<string, string | number | boolean | undefined>;
  readonly body?: unknown;
}

const BASE = "/api/v1";
/** The API of mirrors; paths of its operations stand whole in their names. */
const REPLICATION = "/service/replication/";

/**
 * Calls an operation and returns its answer with its warnings.
 * @throws ApiError with the message of the API, or with one of ours where the service cannot be reached
 */
export async function callWithWarnings<O extends OperationName>(
  operation: O,
  input: Input<O>,
  signal?: AbortSignal,
): Promise<AnswerWithWarnings<O>> {
  const [method, template] = operation.split(" ") as [string, string];
  const { path = {}, query = {}, body } = input as AnyInput;
  const response = await send(addressOf(template, path, query), {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  if (!response.ok) throw await errorOf(response, text, operation);
  const answer = (text === "" ? undefined : JSON.parse(text)) as Answer<O>;
  return { answer, warnings: warningsOf(response.headers.get("Warning")) };
}

/** Calls an operation and returns its answer; {@link callWithWarnings}. */
export async function call<O extends OperationName>(
  operation: O,
  input: Input<O>,
  signal?: AbortSignal,
): Promise<Answer<O>> {
  return (await callWithWarnings(operation, input, signal)).answer;
}

function addressOf(
  template: string,
  path: Record<string, string>,
  query: NonNullable<AnyInput["query"]>,
): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const base = filled.startsWith(REPLICATION) ? "" : BASE;
  return `${base}${filled}${search === "" ? "" : `?${search}`}`;
}

/** Operations whose 401 says nothing about a session. */
const WITHOUT_SESSION: ReadonlySet<OperationName> = new Set(["POST /auth/login", "POST /setup"]);

async function errorOf(response: Response, text: string, operation: OperationName): Promise<ApiError> {
  const told = messageOf(text);
  const message =
    told === undefined ? `The service answered ${response.status}.` : sentenceOf(told, operation);
  const error = new ApiError(response.status, message, problemsIn(message));
  // The API answers 401 to users who may not, and to nobody; only the latter have to sign in again.
  if (response.status === 401 && !WITHOUT_SESSION.has(operation)) {
    error.sessionEnded = operation === "GET /user" || (await send(`${BASE}/user`, {})).status === 401;
  }
  return error;
}

function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The texts of a `Warning` header: `299 svc-authorizer "text", 299 …`. */
function warningsOf(header: string | null): readonly string[] {
  return [...(header ?? "").matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replace(/\\(.)/g, "$1"),
  );
}
