/** Questions about access and its use, as the management API needs them; `compose` answers them. */

/** The question which policies would have sufficed. */
export interface SuggestRequest {
  /** Exactly one of user and group is given. */
  readonly user: string | undefined;
  readonly group: string | undefined;
  /** Unix milliseconds. */
  readonly since: number;
  readonly until: number;
  readonly generalise: "none" | "prefix" | "repository";
}

/** The question for a page of access that nobody used. */
export interface UnusedRequest {
  /** Unix milliseconds. */
  readonly since: number;
  /** Only entries of this kind; undefined: of all. */
  readonly kind: "user" | "key" | "group" | "policy" | "statement" | "actions" | undefined;
  /** The `next` of the page before; "" for the first. */
  readonly after: string;
  readonly amount: number;
}

/** A page of access that nobody used. Times are RFC 3339. */
interface UnusedAnswer {
  readonly entries: readonly unknown[];
  /** "" on the last page. */
  readonly next: string;
  readonly since: string;
  /** Since when use is counted; absent where it is not known. */
  readonly counted_since?: string;
  /** Revision of the directory. */
  readonly revision: number;
  readonly nodes: readonly { readonly node: string; readonly counted_since: string }[];
  readonly warnings: readonly string[];
}

/** Port: questions about access and its use. The answers that take long are JSON texts. */
export interface AccessQuestions {
  /**
   * Finds what decided nothing since a time.
   * @throws AuthorizerError "invalid_request" for an `after` of another list
   */
  unused(request: UnusedRequest): Promise<UnusedAnswer>;
  /**
   * Suggests the smallest policies that allow what was recorded.
   * @param caller for whom: callers get their turns one after the other
   * @param signal aborted when the caller is gone: the work ends with its reason
   * @throws AuthorizerError "invalid_request" where it needs more time or memory than there is, or where allowed
   * decisions are not recorded, "unavailable" where too many questions wait, "not_found" for an unknown user or group
   */
  suggest(caller: string, request: SuggestRequest, signal: AbortSignal | undefined): Promise<string>;
  /**
   * Reviews access, with what changed since a time (Unix milliseconds).
   * @throws AuthorizerError "invalid_request" and "unavailable" as {@link suggest}
   */
  review(caller: string, since: number, signal: AbortSignal | undefined): Promise<string>;
}
