/** A refusal by the server. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";

/** The server answered with a status of 400 or more. The message is the server's own, and may be empty. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  /** `404 Not Found`. */
  readonly statusLine: string;

  /** Places in the body of the request; empty where the answer names none. */
  readonly problems: readonly Problem[];

  constructor(status: number, statusLine: string, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.problems = problems;
    this.status = status;
    this.statusLine = statusLine;
  }
}
