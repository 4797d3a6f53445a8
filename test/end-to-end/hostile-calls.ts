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

/** Somebody who calls the management API. */
interface Person {
  readonly username: string;
  readonly key: { readonly access_key_id: string; readonly secret_access_key: string };
}

const person = (username: string, access_key_id: string): Person => ({
  username,
  key: { access_key_id, secret_access_key: "a-secret-that-only-this-test-knows-012345" },
});

/** The person who applies documents, another who may do the same, and one who may not, with many statements. */
export const APPLIER = person("applier", "AKIAJAPPLIERAPPLIERQ");
export const OTHER = person("other", "AKIAJOTHEROTHEROTHEQ");
export const UNPRIVILEGED = person("wide", "AKIAJWIDEWIDEWIDEWIQ");

/** The headers of a call of a person. */
export function headersOf({ key }: Person): Record<string, string> {
  const { access_key_id: id, secret_access_key: secret } = key;
  return {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
    "content-type": "application/json",
  };
}

/** Posts a body to the user listener, and reads the whole answer; gives the status. */
export async function callAs(
  who: Person,
  { program }: Target,
  path: string,
  body: string | Buffer,
): Promise<number> {
  const response = await fetch(program.user + path, {
    method: "POST",
    headers: headersOf(who),
    body: body as string,
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

/** The body of a dry run of a document. */
export const dryRun = (document: unknown): string =>
  JSON.stringify({ manager: "hostile", documents: [document], dry_run: true });

/** A case that is a dry run of a document. */
export const applying =
  (document: () => unknown) =>
  (target: Target): Promise<number> =>
    callAs(APPLIER, target, "/api/v1/auth/apply", dryRun(document()));

/** A case that is one call. */
export const calling = (path: string, body: () => unknown) => (target: Target) => call(target, path, body());
