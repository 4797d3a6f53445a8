/** `svcctl auth groups policies` and `svcctl auth users policies`. */

import { type JsonObject, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { printDone } from "../output/json-text.ts";
import { type PageTable, printPage } from "../output/page.ts";
import type { Cell } from "../output/table.ts";
import { given } from "./names.ts";

/** Whose policies. */
type Holder = "groups" | "users";

/** One row for each statement. */
const STATEMENTS: PageTable = {
  headers: ["Policy ID", "Creation Date", "Statement #", "Resource", "Effect", "Actions"],
  rowsOf(policy) {
    const statements = Array.isArray(policy["statement"]) ? policy["statement"] : [];
    const head = [textField(policy, "id"), formatDate(policy["creation_date"])];
    return statements.map((statement: JsonObject, index): readonly Cell[] => {
      const { action } = statement;
      const actions = Array.isArray(action) ? action.join(", ") : String(action ?? "");
      return [...head, index, textField(statement, "resource"), textField(statement, "effect"), actions];
    });
  },
};

function policiesOf(holder: Holder, call: CommandCall): string[] {
  return ["auth", holder, given(call, "id"), "policies"];
}

async function attach(holder: Holder, call: CommandCall): Promise<void> {
  const path = [...policiesOf(holder, call), given(call, "policy")];
  await openApi(call.context).perform({ method: "PUT", path, expect: 201 });
  printDone(call, "Policy attached successfully");
}

async function detach(holder: Holder, call: CommandCall): Promise<void> {
  const path = [...policiesOf(holder, call), given(call, "policy")];
  await openApi(call.context).perform({ method: "DELETE", path, expect: 204 });
  printDone(call, "Policy detached successfully");
}

export async function listGroupPolicies(call: CommandCall): Promise<void> {
  await printPage(openApi(call.context), call, policiesOf("groups", call), STATEMENTS);
}

export async function listUserPolicies(call: CommandCall): Promise<void> {
  const effective = call.options["effective"] === true;
  await printPage(openApi(call.context), call, policiesOf("users", call), STATEMENTS, { effective });
}

export const attachToGroup = (call: CommandCall): Promise<void> => attach("groups", call);
export const detachFromGroup = (call: CommandCall): Promise<void> => detach("groups", call);
export const attachToUser = (call: CommandCall): Promise<void> => attach("users", call);
export const detachFromUser = (call: CommandCall): Promise<void> => detach("users", call);
