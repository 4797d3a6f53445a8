/** Errors of the management API, as pages show them. */

/** A fault at one place of a body. */
interface Problem {
  /** JSON pointer into the body. */
  readonly pointer: string;
  readonly message: string;
}

/** A call that was refused or failed. */
export class ApiError extends Error {
  /** Status of the answer; 0 where there was none. */
  readonly status: number;
  readonly problems: readonly Problem[];
  /** True where the caller has to sign in again. */
  sessionEnded = false;

  constructor(status: number, message: string, problems: readonly Problem[] = [], cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.problems = problems;
  }
}

const START = /(?:^|; )(?=\/[^:;\s]*: )/;

/** The problems that a message names: `/pointer: what is wrong; /pointer: …`. None in any other message. */
export function problemsIn(message: string): readonly Problem[] {
  if (!message.startsWith("/")) return [];
  return message
    .split(START)
    .filter((part) => part !== "")
    .map((part) => {
      const end = part.indexOf(": ");
      return end < 0
        ? { pointer: "", message: part }
        : { pointer: part.slice(0, end), message: part.slice(end + 2) };
    });
}

/** The text of any error for people. */
export function messageOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of the problem at a pointer; undefined where there is none. */
export function problemAt(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.problems.find((problem) => problem.pointer === pointer)?.message;
}
