/** The error that the client throws for an answer that is not a success. */

/** One fault of the request, as the service names it. */
export interface ClientProblem {
  /** JSON pointer into the body that was sent. */
  readonly pointer: string;
  readonly message: string;
}

/** An answer with a status other than 2xx. */
export class ClientError extends Error {
  readonly status: number;
  readonly problems: readonly ClientProblem[];

  constructor(status: number, message: string, problems: readonly ClientProblem[]) {
    super(message);
    this.name = "ClientError";
    this.status = status;
    this.problems = problems;
  }
}
