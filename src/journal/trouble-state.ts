/** Keeps the trouble of a node with its database, as the errors of its calls tell it. */

import type { StoreTrouble, TroubleKind } from "../store/trouble.ts";
import { NothingDone } from "./engine.ts";

/** A trouble without the time that follows from the age of the copy. */
export type NotedTrouble = Omit<StoreTrouble, "stopsAt">;

/** By SQLSTATE, code of Node's sockets, name of AWS, or status of Cosmos DB. */
const KINDS: ReadonlyMap<string | number, TroubleKind> = new Map<string | number, TroubleKind>([
  ["25006", "read_only"],
  ["55P03", "locked"],
  ["57014", "locked"],
  ["28P01", "access"],
  ["28000", "access"],
  ["3D000", "access"],
  ["42501", "access"],
  ["53100", "full"],
  ["53200", "busy"],
  ["53300", "busy"],
  ["42P01", "other_log"],
  ["57P01", "away"],
  ["57P02", "away"],
  ["57P03", "away"],
  ["ECONNREFUSED", "away"],
  ["ECONNRESET", "away"],
  ["EPIPE", "away"],
  ["ENOTFOUND", "away"],
  ["ETIMEDOUT", "away"],
  ["EHOSTUNREACH", "away"],
  ["ENETUNREACH", "away"],
  ["EAI_AGAIN", "away"],
  ["AccessDeniedException", "access"],
  ["UnrecognizedClientException", "access"],
  ["InvalidSignatureException", "access"],
  ["ExpiredTokenException", "access"],
  ["CredentialsProviderError", "access"],
  ["ResourceNotFoundException", "other_log"],
  ["ProvisionedThroughputExceededException", "busy"],
  ["RequestLimitExceeded", "busy"],
  ["ThrottlingException", "busy"],
  [401, "access"],
  [403, "access"],
  [404, "other_log"],
  [429, "busy"],
  [503, "away"],
]);
/** Troubles that a read does not see: that one succeeds does not end them. */
const OF_WRITES: ReadonlySet<TroubleKind> = new Set(["read_only", "locked", "full"]);
/** Most causes of causes. */
const MOST_CAUSES = 5;

/** The kind of trouble that an error of an engine tells. */
export function troubleKind(error: unknown): TroubleKind {
  let refused = false;
  for (let at = error, depth = 0; at instanceof Error && depth < MOST_CAUSES; at = at.cause, depth++) {
    const { name, code, message } = at as Error & { readonly code?: string | number };
    if (name === "LogMissing") return "other_log";
    const known = KINDS.get(code ?? "") ?? KINDS.get(name);
    if (known !== undefined) return known;
    if (/leads to a standby/.test(message)) return "read_only";
    if (/Connection terminated|timeout expired|connection timeout/.test(message)) return "away";
    if (/of the log (is gone|does not follow)|the log has entries of format/.test(message)) return "behind";
    refused ||= at instanceof NothingDone;
  }
  return refused ? "failing" : "away";
}

/** Keeps what is wrong. */
export class TroubleState {
  readonly #now: () => number;
  #trouble: NotedTrouble | undefined;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined if nothing is wrong. */
  get trouble(): NotedTrouble | undefined {
    return this.#trouble;
  }

  /** A call failed. */
  failed(error: unknown): void {
    const kind = troubleKind(error);
    const since = this.#trouble?.kind === kind ? this.#trouble.since : this.#now();
    this.#trouble = { kind, since, isReadable: false };
  }

  /** The log was read to its end: what concerns only writes may go on. */
  read(): void {
    const trouble = this.#trouble;
    this.#trouble =
      trouble !== undefined && OF_WRITES.has(trouble.kind) ? { ...trouble, isReadable: true } : undefined;
  }

  /** An entry was written. */
  wrote(): void {
    this.#trouble = undefined;
  }
}
