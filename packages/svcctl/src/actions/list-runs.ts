/** `svcctl actions runs list`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { openApi } from "../api/api-client.ts";
import { fetchPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { printPage } from "../output/page.ts";
import { uriArgument } from "../uri/uri-argument.ts";

const COLUMNS = [
  { heading: "Run ID", name: "run_id", fields: ["run_id"] },
  { heading: "Event", name: "event_type", fields: ["event_type"] },
  { heading: "Start Time", name: "start_time", fields: ["start_time"], kind: "time" },
  { heading: "End Time", name: "end_time", fields: ["end_time"], kind: "time" },
  { heading: "Branch", name: "branch", fields: ["branch"] },
  { heading: "Commit ID", name: "commit_id", fields: ["commit_id"] },
  { heading: "Status", name: "status", fields: ["status"] },
] as const;

export async function listRuns(call: CommandCall): Promise<void> {
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  const branch = textOption(call.options, "branch");
  const commit = textOption(call.options, "commit");
  if ((branch ?? "") !== "" && (commit ?? "") !== "") throw new Error("Can't specify 'commit' and 'branch'");
  const path = ["repositories", repository, "actions", "runs"];
  const page = await fetchPage(openApi(call.context), call, path, { branch, commit });
  await printPage(call, page, { columns: COLUMNS });
}
