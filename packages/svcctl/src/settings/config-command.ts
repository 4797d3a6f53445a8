/** `svcctl config`: creates or updates the configuration file (spec/management-cli §4, spec/management-cli §8). */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { readSettingsFile, settingsPlace } from "@svc-authorizer/commands/settings/settings-file.ts";
import { type Answers, writeSettingsFile } from "@svc-authorizer/commands/settings/write-settings-file.ts";
import { apiBase } from "../api/endpoint.ts";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../output/json-text.ts";
import { askPeople, type Questions, readLines } from "./config-answers.ts";
import { effectiveSettings } from "./load-settings.ts";

/**
 * Takes what options give, asks for the rest on a terminal, reads the rest from standard input elsewhere, and writes
 * the file. Current values are the defaults.
 */
export async function configure(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const json = options["json"] === true;
  const { path } = settingsPlace(context);
  const file = readSettingsFile(path);
  // A file that cannot be read is not overwritten: it may hold the only copy of a secret.
  if (file.fault !== undefined && !file.missing) throw new Error(`${path} cannot be updated: ${file.fault}`);
  if (!json) context.out(`Config file ${safeText(path)} will be used\n`);
  const questions = questionsOf(call, effectiveSettings(path, file, context.env));
  const answers =
    context.edge.stdin.isTTY === true
      ? await askPeople(context, questions)
      : await readLines(context, questions);
  check(answers);
  writeSettingsFile(path, file.values, answers);
  if (json) context.out(jsonText({ file: path }));
}

function questionsOf({ options }: CommandCall, current: Answers): Questions {
  const accessKeyId = textOption(options, "accessKeyId");
  const endpointUrl = textOption(options, "endpointUrl");
  const secretFromStdin = options["secretAccessKeyStdin"] === true;
  return {
    current,
    given: {
      ...(accessKeyId !== undefined && { accessKeyId }),
      ...(endpointUrl !== undefined && { endpointUrl }),
    },
    secretFromStdin,
  };
}

function check({ accessKeyId, secretAccessKey, endpointUrl }: Answers): void {
  if (accessKeyId === "") throw new Error("access key id is missing");
  if (secretAccessKey === "") throw new Error("secret access key is missing");
  apiBase(endpointUrl);
}
