/** Problems that use cases report, under the names that the fields have in a request. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { assertNoProblems } from "../../directory/checks.ts";

/**
 * Runs a use case and names faulty fields as the request does.
 * @param names JSON pointer of the use case → pointer in the body, or parameter
 */
export async function withFieldNames<T>(names: ReadonlyMap<string, string>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isErrorCode(error, "invalid_request")) {
      assertNoProblems(
        error.problems.map((problem) => ({
          ...problem,
          pointer: names.get(problem.pointer) ?? problem.pointer,
        })),
      );
    }
    throw error;
  }
}
