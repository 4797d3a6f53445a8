/** Items that variables of the environment give. Apart from reading it: tools that have none of the items do so too. */
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { rawFromText } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { GivenAt, GivenValues } from "./given-values.ts";
import { ALL_ITEMS, variableOf } from "./table.ts";

/** Returns the items that variables give. An empty variable counts as not set; unknown ones are ignored. */
export function valuesOfEnvironment(environment: Environment): GivenValues {
  const given = new Map<string, GivenAt>();
  for (const { name } of ALL_ITEMS) {
    const variable = variableOf(name);
    const text = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
    if (text === undefined || text === "") continue;
    const place = { source: variable };
    given.set(name, { raw: rawFromText(text, place), place });
  }
  return given;
}
