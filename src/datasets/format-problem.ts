/** Problems of data sets as text. */

import type { AuthorizerError, Problem } from "@svc-authorizer/policy/errors.ts";

/** One line for a problem: `file:line:column: pointer: message`, with the known parts. */
export function formatProblem({ file, line, column, pointer, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return [place, pointer, message].filter((part) => part !== "").join(": ");
}

/** The message of an error without the list of its problems, for output that prints the problems itself. */
export function headline({ message, problems }: AuthorizerError): string {
  return problems.length === 0 ? message : (message.split("\n", 1)[0] as string);
}
