/** A refusal by the server. */

/** The server answered with a status of 400 or more. The message is the server's own, and may be empty. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  /** `404 Not Found`. */
  readonly statusLine: string;

  constructor(status: number, statusLine: string, message: string) {
    super(message);
    this.status = status;
    this.statusLine = statusLine;
  }
}
