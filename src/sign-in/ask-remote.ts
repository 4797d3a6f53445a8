/** Questions to another server that speaks the protocols of a data server's authentication. */

import { boundedBody } from "../bounded-body.ts";

/** Marks calls of this service, which its own authentication API refuses: it would ask itself. */
export const REMOTE_MARK = "x-svc-remote-authenticator";

const LARGEST_BYTES = 65_536;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Longest time of a question, and its body. */
interface Question {
  readonly timeoutMs: number;
  readonly body: unknown;
}

/**
 * Asks; redirections are not followed.
 * @returns the status, and the JSON of an answer 2xx
 * @throws Error where there is no answer, or none that says anything
 */
export async function askRemote(
  endpoint: URL,
  { timeoutMs, body }: Question,
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", [REMOTE_MARK]: "1" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: "manual",
  });
  const { status, ok } = answer;
  if (!ok) await answer.body?.cancel();
  if (status >= 500) throw new Error(`status ${status}`);
  return {
    status,
    json: ok ? membersOf(UTF_8.decode(await boundedBody(answer.body, LARGEST_BYTES))) : {},
  };
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new Error("no JSON object");
  return answer as Readonly<Record<string, unknown>>;
}
