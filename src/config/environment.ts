/** The environment: the only place of the service that reads it. */
import { homedir } from "node:os";
import type { GivenAt, GivenValues } from "./given-values.ts";
import { ALL_ITEMS, variableOf } from "./table.ts";
import { rawFromText } from "./values/raw-value.ts";

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process, as they are now. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** Returns the home folder that the variables name, else the one of the system's user. */
export function homeOf(environment: Environment): string {
  const home = environment["HOME"];
  return home === undefined || home === "" ? homedir() : home;
}

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
