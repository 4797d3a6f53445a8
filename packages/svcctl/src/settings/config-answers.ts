/** Reads the three values that `svcctl config` writes, from a terminal or from standard input. */

import { createInterface } from "node:readline";
import type { Answers } from "@svc-authorizer/commands/settings/write-settings-file.ts";
import { apiBase } from "../api/endpoint.ts";
import type { CommandContext } from "../command-context.ts";

/** The questions of `svcctl config`. */
export interface Questions {
  /** The values that an empty answer keeps. */
  readonly current: Answers;
  /** Values of the command line. They never include a secret, which other users of the machine could see there. */
  readonly given: Partial<Omit<Answers, "secretAccessKey">>;
  /** True if the first line of standard input is the secret. It does not apply to a terminal. */
  readonly secretFromStdin: boolean;
}

/** Asks on the terminal and masks the secret. Throws when the questions are interrupted. */
export async function askPeople(context: CommandContext, { current, given }: Questions): Promise<Answers> {
  const { default: input } = await import("@inquirer/input");
  const { default: password } = await import("@inquirer/password");
  const { stdin, stdout } = context.edge;
  const streams = { input: stdin, output: stdout };
  const text = (message: string, value: string, validate: (text: string) => string | true): Promise<string> =>
    input({ message, validate, ...(value !== "" && { default: value }) }, streams);
  const keeps = current.secretAccessKey === "" ? "" : " (empty: keep the current one)";
  try {
    const accessKeyId =
      given.accessKeyId ??
      (await text("Access key ID", current.accessKeyId, (id) => id !== "" || "expected a key"));
    const secret = await password(
      {
        message: `Secret access key${keeps}`,
        mask: "*",
        toggleMask: false,
        validate: (answer) => answer + current.secretAccessKey !== "" || "expected a secret",
      },
      streams,
    );
    const endpointUrl =
      given.endpointUrl ??
      (await text("Server endpoint URL (e.g. http://localhost:8000)", current.endpointUrl, endpointFault));
    // Pasted values often have a blank at the end.
    const secretAccessKey = secret.trim() === "" ? current.secretAccessKey : secret.trim();
    return { accessKeyId: accessKeyId.trim(), secretAccessKey, endpointUrl: endpointUrl.trim() };
  } catch (error) {
    if ((error as Error).name === "ExitPromptError") throw new Error("^C", { cause: error });
    throw error;
  }
}

function endpointFault(text: string): string | true {
  try {
    apiBase(text);
    return true;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Takes what is not given from lines of standard input: the access key id, the secret and the endpoint URL, or the
 * secret alone. Where a line is empty or missing, the current value stays.
 * @throws Error where the secret alone is to come, and does not
 */
export async function readLines(context: CommandContext, questions: Questions): Promise<Answers> {
  const { current, given, secretFromStdin } = questions;
  const asksKey = given.accessKeyId === undefined && !secretFromStdin;
  const asksUrl = given.endpointUrl === undefined && !secretFromStdin;
  // If no value is missing, the command must not wait for standard input to end.
  const settled = !asksKey && !asksUrl && !secretFromStdin && current.secretAccessKey !== "";
  const lines = settled ? [] : await firstLines(context, 1 + Number(asksKey) + Number(asksUrl));
  const line = (fallback: string): string => lines.shift() || fallback;
  const accessKeyId = given.accessKeyId ?? (asksKey ? line(current.accessKeyId) : current.accessKeyId);
  const secretAccessKey = line(secretFromStdin ? "" : current.secretAccessKey);
  // What was to give a secret gave none: the present one would stand beside the key of another.
  if (secretFromStdin && secretAccessKey === "") throw new Error("standard input has no secret access key");
  const endpointUrl = given.endpointUrl ?? (asksUrl ? line(current.endpointUrl) : current.endpointUrl);
  return { accessKeyId, secretAccessKey, endpointUrl };
}

async function firstLines({ edge }: CommandContext, most: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: edge.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    lines.push(line.trim());
    if (lines.length === most) break;
  }
  // The process would wait until the other end closes the stream.
  edge.stdin.destroy();
  return lines;
}
