/** Turns everything that is not an answer into the one error of the client. */

import { ClientError, type ClientErrorCode, type ClientProblem } from "./client-error.ts";

const SERVER_CODES: ReadonlySet<string> = new Set(["stale", "behind", "other_log", "went_back"]);

/** Returns the failure of a call as an error of the client. The deadline is that of the call, with its milliseconds. */
export function failureOf(error: unknown, deadline: AbortSignal, timeout: number): ClientError {
  if (error instanceof ClientError) return error;
  if (deadline.aborted) {
    return new ClientError(0, `no answer within ${timeout} ms`, [], { code: "timeout", cause: error });
  }
  const reason = error instanceof Error ? (error.cause ?? error) : error;
  const detail = reason instanceof Error && reason.message !== "" ? `: ${reason.message}` : "";
  return new ClientError(0, `the service cannot be reached${detail}`, [], {
    code: "unreachable",
    cause: error,
  });
}

/** The error that an answer with a status other than 2xx says. */
export async function errorOf(response: Response): Promise<ClientError> {
  const text = await response.text().catch(() => "");
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  const { message, problems, code } = readError(text);
  return new ClientError(response.status, message ?? `status ${response.status}`, problems, {
    ...(code !== undefined && SERVER_CODES.has(code) && { code: code as ClientErrorCode }),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
  });
}

/** The seconds of a `Retry-After`: a number, or the date that proxies may send (RFC 9110, section 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly problems?: readonly ClientProblem[];
}

function readError(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
