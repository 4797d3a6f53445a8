/** `svcctl merge`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { announce, requireSameRepository, uriArgument } from "../uri/uri-argument.ts";
import { commitValuesOf } from "./commit-values.ts";

const STRATEGIES: ReadonlySet<string> = new Set(["", "dest-wins", "source-wins"]);

export async function merge(call: CommandCall): Promise<void> {
  const { options, context } = call;
  const values = commitValuesOf(call);
  const source = uriArgument(call, 0, "source ref", "branch");
  const destination = uriArgument(call, 1, "destination ref", "branch");
  announce(call, "Source", source);
  announce(call, "Destination", destination);
  requireSameRepository(destination, source);
  const strategy = textOption(options, "strategy") ?? "";
  if (!STRATEGIES.has(strategy)) {
    throw new Error('Invalid strategy value. Expected "dest-wins" or "source-wins"');
  }
  const body = {
    ...values,
    strategy,
    force: options["force"] === true,
    allow_empty: options["allowEmpty"] === true,
    ...(options["squash"] === true && { squash_merge: true }),
  };
  const path = ["repositories", destination.repository, "refs", source.ref, "merge", destination.ref];
  const merged = await openApi(context)
    .fetchObject({ method: "POST", path, body, expect: 200 })
    .catch((error: unknown) => {
      if (error instanceof ApiFailure && error.status === 409) {
        throw new Error("Conflict found.", { cause: error });
      }
      throw error;
    });
  const { yellow, green } = context.style;
  const reference = green(safeText(textField(merged, "reference")));
  await printObject(
    call,
    merged,
    () => `Merged "${yellow(source.ref)}" into "${yellow(destination.ref)}" to get "${reference}".\n`,
  );
}
