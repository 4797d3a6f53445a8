/** `svcctl find-merge-base`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { announce, requireSameRepository, uriArgument } from "../uri/uri-argument.ts";

export async function findMergeBase(call: CommandCall): Promise<void> {
  const source = uriArgument(call, 0, "source ref URI", "ref");
  const destination = uriArgument(call, 1, "destination ref URI", "ref");
  announce(call, "Source", source);
  announce(call, "Destination", destination);
  requireSameRepository(destination, source);
  const path = ["repositories", destination.repository, "refs", source.ref, "merge", destination.ref];
  const found = await openApi(call.context).fetchObject({ method: "GET", path, expect: 200 });
  const { yellow } = call.context.style;
  const id = (name: string): string => yellow(safeText(textField(found, name)));
  const [base, from, to] = [id("base_commit_id"), id("source_commit_id"), id("destination_commit_id")];
  await printObject(call, found, () => `Found base "${base}" when merging "${from}" into "${to}".\n`);
}
