/** `svcctl metastore copy-all` and `import-all`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandCall } from "@svc-authorizer/svcctl/command.ts";
import { given } from "@svc-authorizer/svcctl/given.ts";
import { say } from "@svc-authorizer/svcctl/local/compare/compare-folder.ts";
import { afterDbfs, copyAll } from "./copy-table.ts";
import { inRepository, onBranch, type Relocate } from "./locations.ts";
import { metastoreSettings, withMetastores } from "./metastore-settings.ts";

export async function copyEverything(call: CommandCall): Promise<void> {
  const branch = given(call, "branch");
  await all(call, "copy", (location) => onBranch(location, branch));
}

export async function importEverything(call: CommandCall): Promise<void> {
  const [repository, branch] = [given(call, "repo"), given(call, "branch")];
  await all(call, "import", (location) => inRepository(location, repository, branch));
}

async function all(call: CommandCall, verb: string, relocate: Relocate): Promise<void> {
  const { options } = call;
  const from = textOption(options, "fromAddress") ?? "";
  const to = textOption(options, "toAddress") ?? "";
  if (from === to) throw new Error("from-address must be different than to-address");
  say(call, `${verb} ${safeText(from)} -> ${safeText(to)}\n`);
  await withMetastores(call, async (route) => {
    const failures = await copyAll(route, {
      schemaFilter: given(call, "schemaFilter"),
      tableFilter: given(call, "tableFilter"),
      relocate: afterDbfs(textOption(options, "dbfsRoot") ?? "", relocate),
      fixPlaceholder: metastoreSettings(call).fixSparkPlaceholder,
      continueOnError: options["continueOnError"] === true,
      say: (line) => say(call, safeText(line.trimEnd()).concat("\n")),
    });
    if (failures.length > 0) throw new Error(`${failures.length} tables failed:\n${failures.join("\n")}`);
  });
}
