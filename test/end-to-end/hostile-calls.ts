/** The parts of hostile cases: a case, its target, and calls of the decision API. */
import type { RunningProgram } from "./program.ts";

/** One hostile caller. */
export interface HostileCase {
  readonly name: string;
  /** Statuses that the answer may have, where the case is one request. */
  readonly statuses?: readonly number[];
  /** Does its worst; resolves when the service has answered or closed the connection. */
  readonly run: (target: Target) => Promise<unknown>;
}

/** The service that a case is run against. */
export interface Target {
  readonly program: RunningProgram;
  readonly token: string;
}

const MAX_WAIT_MS = 40_000;

/** Makes a list. */
export const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const arn = (text: string): string => `arn:svc:fs:::repository/${text}`;
export const allow = (action: readonly string[], resource: string) => ({ effect: "allow", action, resource });

/** Sends a request, of the decision API unless the path says otherwise, and reads its whole answer. */
async function call({ program, token }: Target, path: string, body: unknown): Promise<number> {
  const response = await fetch(program.service + (path.startsWith("/") ? path : `/access/v1/${path}`), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

/** The person who applies documents. */
export const APPLIER = {
  username: "applier",
  key: {
    access_key_id: "AKIAJAPPLIERAPPLIERQ",
    secret_access_key: "a-secret-that-only-this-test-knows-012345",
  },
} as const;

/** A case that is a dry run of a document. */
export const applying =
  (document: () => unknown) =>
  async ({ program }: Target): Promise<number> => {
    const { access_key_id: id, secret_access_key: secret } = APPLIER.key;
    const response = await fetch(`${program.user}/api/v1/auth/apply`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ manager: "hostile", documents: [document()], dry_run: true }),
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  };

/** A case that is one call. */
export const calling = (path: string, body: () => unknown) => (target: Target) => call(target, path, body());
