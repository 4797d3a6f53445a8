/** How a command of svcctl fails; `report-failure.ts` turns these into text and exit code (management-cli.md §1). */

/** The command line is wrong: printed as `Error: <text>`, without usage. */
export class UsageFailure extends Error {
  override readonly name = "UsageFailure";
  /** Lines after the first, such as what may have been meant. */
  readonly hints: readonly string[];

  constructor(message: string, hints: readonly string[] = []) {
    super(message);
    this.hints = hints;
  }
}

/** What is said of a flag that a command does not know; its value, which may be a secret, is left out. */
export function unknownFlagText(flag: string): string {
  const name = flag.replace(/=[\s\S]*$/, "");
  return name.startsWith("--") ? `unknown flag: ${name}` : `unknown shorthand flag: '${name[1]}' in ${name}`;
}

/** The server answered with a status of 400 or more: printed as its text (which may be empty) and its status line. */
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
