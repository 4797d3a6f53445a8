import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "../command.ts";

/** Query parameters from options: `{ principalId: "principalId" }` sends the option of that name. */
export function queryOf(
  { options }: CommandCall,
  query: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(query).map(([name, option]) => [name, textOption(options, option)]),
  );
}
