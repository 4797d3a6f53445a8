/** Errors of the command line, of both programs. */

/** The command line is wrong. Programs print the message without usage (spec/management-cli §1). */
export class UsageFailure extends Error {
  override readonly name = "UsageFailure";
  /** Lines after the message, such as what was probably meant. */
  readonly hints: readonly string[];

  constructor(message: string, hints: readonly string[] = []) {
    super(message);
    this.hints = hints;
  }
}

/** The message about a flag that a command does not know. It leaves out the value, which may be a secret. */
export function unknownFlagText(flag: string): string {
  const name = flag.replace(/=[\s\S]*$/, "");
  return name.startsWith("--") ? `unknown flag: ${name}` : `unknown shorthand flag: '${name[1]}' in ${name}`;
}
