/** `svcctl auth users credentials create`. */

import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { ApiClient, JsonObject } from "../../api/api-client.ts";
import { openApi } from "../../api/api-client.ts";
import { fillPath } from "../../api/path-template.ts";
import type { CommandCall } from "../../command.ts";
import { durationOf } from "../../duration-option.ts";
import { formatDate } from "../../output/dates.ts";
import { textField } from "../../output/fields.ts";
import { printObject } from "../../output/print.ts";

/** Width of the labels. */
const LABEL = 19;

/** Creates an access key and prints it with its secret. */
export async function createCredentials(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const path = await fillPath(api, call, ["auth", "users", { option: "id", orSelf: true }, "credentials"]);
  const query = lifetimeOf(call);
  const key = await created(call, api, path, query);
  if (query.expires_in !== undefined && typeof key["expires_at"] !== "number")
    await takeBack(api, path, textField(key, "access_key_id"));
  const { green, bold, yellow } = call.context.style;
  const line = (label: string, field: string): string =>
    `${label.padEnd(LABEL)}${bold(safeText(textField(key, field)))}`;
  await printObject(call, key, () => {
    const lines = [
      green("Credentials created successfully."),
      line("Access Key ID:", "access_key_id"),
      line("Secret Access Key:", "secret_access_key"),
      ...expiryLine(key, bold),
      "",
      yellow("Keep these somewhere safe since you will not be able to see the secret key again"),
    ];
    return `${lines.join("\n")}\n`;
  });
}

/** Makes the key; says where tries may have made others, whose secrets nobody has. */
async function created(
  { context }: CommandCall,
  api: ApiClient,
  path: readonly string[],
  query: { readonly expires_in?: number },
): Promise<JsonObject> {
  let unsettled = 0;
  const onUnsettledTry = (): void => {
    unsettled++;
  };
  try {
    return await api.fetchObject({ method: "POST", path, query, expect: 201, onUnsettledTry });
  } finally {
    if (unsettled > 0) {
      context.err(
        "warning: an earlier try got no answer, and may have created a key of its own: look with svcctl auth users credentials list, and delete what nobody has the secret of\n",
      );
    }
  }
}

/** The parameter of the call: whole seconds, rounded up. */
function lifetimeOf(call: CommandCall): { readonly expires_in?: number } {
  if (call.options["expiresIn"] === undefined) return {};
  const seconds = Math.ceil(durationOf(call, "expiresIn", "expires-in") / 1_000);
  if (seconds > 0) return { expires_in: seconds };
  throw new UsageFailure('invalid argument for "--expires-in" flag: must be more than 0');
}

/** The line of a term, if the key has one. */
function expiryLine(key: JsonObject, bold: (text: string) => string): readonly string[] {
  const at = key["expires_at"];
  return typeof at === "number" ? [`${"Expires:".padEnd(LABEL)}${bold(formatDate(at))}`] : [];
}

/** Deletes a key whose server knows no terms, as version 0.2 and a data server: it would stay where somebody relies on its end. */
async function takeBack(api: ApiClient, path: readonly string[], id: string): Promise<never> {
  const said = "the server knows no terms of access keys";
  try {
    await api.perform({ method: "DELETE", path: [...path, id], expect: 204 });
  } catch (error) {
    const message = `${said}, and ${id}, which does not expire, could not be deleted (${messageOf(error)}): delete it`;
    throw new Error(message, { cause: error });
  }
  throw new Error(`${said}: the key was deleted again`);
}
