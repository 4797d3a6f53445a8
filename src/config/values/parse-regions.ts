/** The value of `authorizer.mirroring.regions`: data servers that may have mirrors. */

import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import {
  type RawMap,
  type RawValue,
  shapeName,
} from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { AnyItem, MirrorRegionItem } from "../item.ts";
import { jsonOf } from "./parse-collections.ts";
import { absolutePath } from "./path-value.ts";
import { expected, type ParserTools } from "./value-parser.ts";

const FIELDS: readonly string[] = [
  "endpoint",
  "access_key_id",
  "secret_access_key",
  "secret_access_key_file",
];
/** Names stand in labels of metrics and in answers. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const MOST_REGIONS = 64;

/** A map of regions by name: of YAML, or a JSON text. Every fault of every region is reported. */
export function parseRegions(
  raw: RawValue,
  item: AnyItem,
  tools: ParserTools,
): ReadonlyMap<string, MirrorRegionItem> | undefined {
  if (raw.shape === "scalar" && raw.text.trim() === "") return undefined;
  const map = raw.shape === "scalar" ? jsonOf(raw) : raw;
  if (map?.shape !== "map") {
    const message = expected("a map {NAME: {endpoint, access_key_id, …}} (in a variable: JSON)", raw, item);
    return tools.fail(message, raw.place);
  }
  if (map.entries.length > MOST_REGIONS)
    return tools.fail(`expected at most ${MOST_REGIONS} regions`, raw.place);
  const regions = new Map<string, MirrorRegionItem>();
  let sound = true;
  for (const { key, value, place } of map.entries) {
    if (!NAME.test(key) || regions.has(key)) {
      const message = regions.has(key)
        ? "this name is there twice"
        : "expected a name of lower-case letters, digits and -, at most 63";
      sound = false;
      tools.fail(message, place, [key.slice(0, 64)]);
    }
    const region = parseRegion(key.slice(0, 64), value, tools);
    if (region === undefined) sound = false;
    else regions.set(key, region);
  }
  return sound ? regions : undefined;
}

function parseRegion(name: string, raw: RawValue, tools: ParserTools): MirrorRegionItem | undefined {
  if (raw.shape !== "map")
    return tools.fail(`expected {endpoint, access_key_id, …}, found ${shapeName(raw)}`, raw.place, [name]);
  let sound = true;
  const fail = (field: string, message: string): void => {
    sound = false;
    tools.fail(`${field}: ${message}`, fieldOf(raw, field)?.place ?? raw.place, [name, field]);
  };
  for (const { key } of raw.entries) {
    if (!FIELDS.includes(key)) fail(key.slice(0, 60), `unknown field${suggestion(key.slice(0, 60), FIELDS)}`);
  }
  const text = (field: string): string | undefined => {
    const value = fieldOf(raw, field);
    if (value === undefined || value.shape === "null") return undefined;
    if (value.shape === "scalar" && value.text !== "") return value.text;
    fail(field, "expected a text");
    return undefined;
  };
  const endpoint = text("endpoint");
  if (endpoint === undefined) fail("endpoint", "required");
  else if (!isServerUrl(endpoint))
    fail("endpoint", "expected an http or https URL without user, query and fragment");
  const id = text("access_key_id");
  const secret = text("secret_access_key");
  const file = text("secret_access_key_file");
  const hasSecret = secret !== undefined || file !== undefined;
  if (id === undefined && hasSecret) fail("access_key_id", "required with a secret");
  if (secret !== undefined && file !== undefined)
    fail("secret_access_key_file", "secret_access_key is given, too");
  if (id !== undefined && !hasSecret)
    fail("secret_access_key", "required with access_key_id (or secret_access_key_file)");
  if (!sound || endpoint === undefined) return undefined;
  return {
    endpoint,
    ...(id !== undefined && { access_key_id: id }),
    ...(secret !== undefined && { secret_access_key: secret }),
    ...(file !== undefined && { secret_access_key_file: absolutePath(file, "file", tools) }),
  };
}

/** True for the URL of a data server; a user in it would be shown where URLs are. */
export function isServerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

function fieldOf(raw: RawMap, name: string): RawValue | undefined {
  return raw.entries.find(({ key }) => key === name)?.value;
}
