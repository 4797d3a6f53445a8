/** The items that mirroring needs together (spec/mirroring §7). */

import type { ConfigName, ConfigValues } from "./table.ts";
import { isServerUrl } from "./values/parse-regions.ts";

type Tell = (name: ConfigName, message: string) => void;

const ENDPOINT = "authorizer.mirroring.source.endpoint";
const ID = "authorizer.mirroring.source.access_key_id";
const SECRET = "authorizer.mirroring.source.secret_access_key";
const FILE = "authorizer.mirroring.source.secret_access_key_file";

/** True where a region may have mirrors. */
export function hasMirroring(values: ConfigValues): boolean {
  return (values["authorizer.mirroring.regions"]?.size ?? 0) > 0;
}

/** Tells what the source lacks. */
export function mirroringProblems(values: ConfigValues, problem: Tell): void {
  if (!hasMirroring(values)) return;
  const endpoint = values[ENDPOINT];
  if (endpoint === undefined) problem(ENDPOINT, "required: authorizer.mirroring.regions names regions");
  else if (!isServerUrl(endpoint))
    problem(ENDPOINT, "expected an http or https URL without user, query and fragment");
  const given = [SECRET, FILE].filter((name) => values[name as ConfigName] !== undefined);
  if (values[ID] === undefined && given.length > 0) problem(ID, `required with ${given[0]}`);
  if (values[ID] !== undefined && given.length === 0) problem(SECRET, `required with ${ID} (or ${FILE})`);
  if (given.length === 2) problem(FILE, `is given, and ${SECRET} too; remove one`);
}
