/** Runs the command line of a conversation against a server that answers as it did. */

import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { type Conversation, placeFiles, playServer } from "./conversation.ts";
import { svcctl } from "./run-svcctl.ts";

/** @param before arguments before those of the conversation */
export async function playConversation(
  { args, stdin, files, exchanges }: Pick<Conversation, "args" | "stdin" | "files" | "exchanges">,
  before: readonly string[] = [],
) {
  const cwd = temporaryFolder();
  placeFiles(cwd, files);
  const server = await playServer(exchanges);
  onTestFinished(server.close);
  const filled = args.map((arg) => arg.replaceAll("{folder}", cwd));
  const ran = await svcctl([...before, ...filled], {
    cwd,
    ...(stdin !== undefined && { stdin }),
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: server.url,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "a-secret-for-tests",
      SVCCTL_SERVER_RETRIES_ENABLED: "false",
      HOME: cwd,
      PATH: process.env["PATH"],
    },
  });
  return { ...ran, cwd, server };
}
