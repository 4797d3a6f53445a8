import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "./command.ts";

/** The value of a required option. */
export function given({ options }: CommandCall, name: string): string {
  return textOption(options, name) ?? "";
}
