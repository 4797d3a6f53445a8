/** The value of `authorizer.sts.users`: users that tokens of identity providers stand for. */

import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import { userNameProblem } from "@svc-authorizer/policy/model/names.ts";
import {
  type RawMap,
  type RawValue,
  shapeName,
} from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { AnyItem, WebUserItem } from "../item.ts";
import { jsonOf } from "./parse-collections.ts";
import { expected, type ParserTools } from "./value-parser.ts";

const FIELDS: readonly string[] = ["issuer", "claims", "user"];

/** A list of entries: of YAML, or a JSON text. Every fault of every entry is reported. */
export function parseWebUsers(
  raw: RawValue,
  item: AnyItem,
  tools: ParserTools,
): readonly WebUserItem[] | undefined {
  if (raw.shape === "scalar" && raw.text.trim() === "") return undefined;
  const list = raw.shape === "scalar" ? jsonOf(raw) : raw;
  if (list?.shape !== "list") {
    const message = expected("a list of {issuer, claims, user} (in a variable: JSON)", raw, item);
    return tools.fail(message, raw.place);
  }
  const parsed = list.elements.map((element, index) => parseEntry(element, index, tools));
  const entries = parsed.filter((one) => one !== undefined);
  return entries.length === parsed.length ? entries : undefined;
}

function parseEntry(raw: RawValue, index: number, tools: ParserTools): WebUserItem | undefined {
  if (raw.shape !== "map")
    return tools.fail(`expected {issuer, claims, user}, found ${shapeName(raw)}`, raw.place, [index]);
  let sound = true;
  const fail = (message: string, name: string): undefined => {
    sound = false;
    return tools.fail(`${name}: ${message}`, fieldOf(raw, name)?.place ?? raw.place, [index, name]);
  };
  for (const { key } of raw.entries) {
    if (!FIELDS.includes(key)) fail(`unknown field${suggestion(key.slice(0, 60), FIELDS)}`, key.slice(0, 60));
  }
  const text = (name: string): string => {
    const value = fieldOf(raw, name);
    if (value?.shape === "scalar" && value.text !== "") return value.text;
    fail(value === undefined ? "required" : "expected a text", name);
    return "";
  };
  const issuer = text("issuer");
  const user = text("user");
  const wrong = user === "" ? undefined : userNameProblem(user, "strict");
  if (wrong !== undefined) fail(wrong, "user");
  const claims = claimsOf(fieldOf(raw, "claims"));
  // Without one, every token that the issuer signs for anybody would be the user.
  if (claims === undefined) fail("expected at least one claim with its exact text", "claims");
  return sound && claims !== undefined ? { issuer, claims, user } : undefined;
}

function claimsOf(raw: RawValue | undefined): ReadonlyMap<string, string> | undefined {
  if (raw?.shape !== "map" || raw.entries.length === 0) return undefined;
  const claims = new Map<string, string>();
  for (const { key, value } of raw.entries) {
    if (value.shape !== "scalar" || value.text === "" || claims.has(key)) return undefined;
    claims.set(key, value.text);
  }
  return claims;
}

function fieldOf(raw: RawMap, name: string): RawValue | undefined {
  return raw.entries.find(({ key }) => key === name)?.value;
}
