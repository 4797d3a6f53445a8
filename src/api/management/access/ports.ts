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

/** Port: questions about access and its use. The answers are JSON texts. */
export interface AccessQuestions {
  /**
   * Finds what decided nothing since a time (Unix milliseconds).
   * @param caller for whom: callers get their turns one after the other
   * @throws AuthorizerError "invalid_request" where it needs more time or memory than there is, "unavailable" where too
   * many questions wait
   */
  unused(caller: string, since: number): Promise<string>;
  /**
   * Suggests the smallest policies that allow what was recorded.
   * @throws AuthorizerError as {@link unused}; "not_found" for an unknown user or group, "invalid_request" where
   * allowed decisions are not recorded
   */
  suggest(caller: string, request: SuggestRequest): Promise<string>;
  /**
   * Reviews access, with what changed since a time (Unix milliseconds).
   * @throws AuthorizerError as {@link unused}
   */
  review(caller: string, since: number): Promise<string>;
}
