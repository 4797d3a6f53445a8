/** Questions about access and its use, as the management API needs them; `compose` answers them. */

/** Port: questions about access and its use. The answers are JSON texts. */
export interface AccessQuestions {
  /**
   * Finds what decided nothing since a time (Unix milliseconds).
   * @param caller for whom: callers get their turns one after the other
   * @throws AuthorizerError "invalid_request" where it needs more time or memory than there is, "unavailable" where too
   * many questions wait
   */
  unused(caller: string, since: number): Promise<string>;
}
