/** The value of `authorizer.tokens`: callers with a bearer token of their own. */

import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import {
  type RawEntry,
  type RawMap,
  type RawValue,
  shapeName,
} from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { type AnyItem, type ServiceTokenItem, TOKEN_SCOPES, type TokenScope } from "../item.ts";
import { jsonOf, splitList } from "./parse-collections.ts";
import { absolutePath } from "./path-value.ts";
import { isKnownPlaceholder, isPlaceholder, KNOWN_SECRET } from "./placeholder.ts";
import { expected, type ParserTools } from "./value-parser.ts";

/** Fewest characters of a token. */
export const SHORTEST_TOKEN = 32;

const FORMS = ["token", "token_file", "token_sha256"] as const;
const FIELDS: readonly string[] = ["name", ...FORMS, "scopes", "assert_groups"];

/** A list of token objects: of YAML, or a JSON text. Every fault of every element is reported. */
export function parseTokens(
  raw: RawValue,
  item: AnyItem,
  tools: ParserTools,
): readonly ServiceTokenItem[] | undefined {
  if (raw.shape === "scalar" && raw.text.trim() === "") return undefined;
  const list = raw.shape === "scalar" ? jsonOf(raw) : raw;
  if (list?.shape !== "list") {
    return tools.fail(
      expected("a list of {name, token, scopes} (in a variable: JSON)", raw, item),
      raw.place,
    );
  }
  const parsed = list.elements.map((element, index) => parseToken(element, index, tools));
  const unique = reportRepeated(parsed, list.elements, tools);
  const tokens = parsed.filter((token) => token !== undefined);
  return unique && tokens.length === parsed.length ? tokens : undefined;
}

function parseToken(raw: RawValue, index: number, tools: ParserTools): ServiceTokenItem | undefined {
  if (raw.shape !== "map") {
    return tools.fail(`expected {name, token, scopes}, found ${shapeName(raw)}`, raw.place, [index]);
  }
  let sound = true;
  const complain = (message: string, entry: RawEntry | undefined, ...below: (string | number)[]) => {
    sound = false;
    tools.fail(message, entry?.value.place ?? raw.place, [index, ...below]);
  };
  const fields = fieldsOf(raw, complain);
  const name = textOf(fields.get("name"));
  if (name === undefined) complain("expected a name", fields.get("name"), "name");
  const token = parseSecret(fields, complain, tools);
  const scopes = parseScopes(fields.get("scopes"), complain);
  const groups = parseGroups(fields.get("assert_groups"), complain);
  return sound ? { name: name as string, ...token, scopes, ...groups } : undefined;
}

type Complain = (message: string, entry: RawEntry | undefined, ...below: (string | number)[]) => void;

function fieldsOf(raw: RawMap, complain: Complain): ReadonlyMap<string, RawEntry> {
  const fields = new Map<string, RawEntry>();
  for (const entry of raw.entries) {
    if (FIELDS.includes(entry.key)) fields.set(entry.key, entry);
    else {
      const shown = JSON.stringify(entry.key.slice(0, 60));
      complain(`unknown field ${shown}${suggestion(entry.key, FIELDS)}`, entry, entry.key.slice(0, 60));
    }
  }
  return fields;
}

/** The text of a field; undefined when it is not set (absent, empty, a placeholder) or no text. */
function textOf(entry: RawEntry | undefined): string | undefined {
  const value = entry?.value;
  if (value?.shape !== "scalar" || value.kind === "bool" || value.text === "") return undefined;
  return isKnownPlaceholder(value.text) ? undefined : value.text;
}

/** True for the text of an example; the reference's own placeholders count as not set. */
function isKnown({ value }: RawEntry): boolean {
  return value.shape === "scalar" && isKnownPlaceholder(value.text) && !isPlaceholder(value.text);
}

function parseSecret(
  fields: ReadonlyMap<string, RawEntry>,
  complain: Complain,
  tools: ParserTools,
): Pick<ServiceTokenItem, "token" | "token_file" | "token_sha256"> {
  const given = FORMS.filter((form) => textOf(fields.get(form)) !== undefined);
  const [form] = given;
  const known = FORMS.map((one) => fields.get(one)).find((one) => one !== undefined && isKnown(one));
  if (form === undefined && known !== undefined) {
    complain(KNOWN_SECRET, known, known.key);
    return {};
  }
  if (form === undefined || given.length > 1) {
    complain(`expected exactly one of ${FORMS.join(", ")}; ${given.length} are set`, undefined);
    return {};
  }
  const entry = fields.get(form);
  const text = textOf(entry) as string;
  if (form === "token" && text.length < SHORTEST_TOKEN) {
    complain(`expected at least ${SHORTEST_TOKEN} characters`, entry, form);
  }
  if (form === "token" && /[^\x21-\x7e]/.test(text)) {
    complain("expected printable ASCII characters without blanks, as a header can carry them", entry, form);
  }
  if (form === "token_sha256" && !/^[0-9a-f]{64}$/i.test(text)) {
    complain("expected the SHA-256 of the token as 64 hexadecimal digits", entry, form);
  }
  if (form === "token_file") return { token_file: absolutePath(text, "file", tools) };
  return form === "token" ? { token: text } : { token_sha256: text.toLowerCase() };
}

function parseScopes(entry: RawEntry | undefined, complain: Complain): readonly TokenScope[] {
  const raw = entry?.value;
  const list = raw?.shape === "scalar" ? splitList(raw) : raw;
  const elements = list?.shape === "list" ? list.elements : [];
  if (elements.length === 0)
    complain(`expected a list of scopes: ${TOKEN_SCOPES.join(", ")}`, entry, "scopes");
  const scopes = new Set<TokenScope>();
  for (const [position, element] of elements.entries()) {
    const scope = TOKEN_SCOPES.find((one) => element.shape === "scalar" && one === element.text);
    if (scope !== undefined) scopes.add(scope);
    else {
      const at = { key: "", place: element.place, value: element };
      complain(`expected one of ${TOKEN_SCOPES.join(", ")}`, at, "scopes", position);
    }
  }
  return [...scopes];
}

function parseGroups(
  entry: RawEntry | undefined,
  complain: Complain,
): Pick<ServiceTokenItem, "assert_groups"> {
  if (entry === undefined) return {};
  const list = entry.value.shape === "scalar" ? splitList(entry.value) : entry.value;
  const elements = list?.shape === "list" ? list.elements : undefined;
  if (elements === undefined) complain("expected a list of patterns of group names", entry, "assert_groups");
  const patterns = (elements ?? []).map((value, position) => {
    if (value.shape === "scalar" && value.kind !== "bool" && value.text !== "") return value.text;
    complain(
      "expected a pattern of group names",
      { key: "", place: value.place, value },
      "assert_groups",
      position,
    );
    return "";
  });
  return { assert_groups: patterns };
}

function reportRepeated(
  tokens: readonly (ServiceTokenItem | undefined)[],
  elements: readonly RawValue[],
  tools: ParserTools,
): boolean {
  const names = new Set<string>();
  const secrets = new Map<string, string>();
  let unique = true;
  for (const [index, token] of tokens.entries()) {
    if (token === undefined) continue;
    const secret = token.token ?? token.token_file ?? token.token_sha256 ?? "";
    const other = secrets.get(secret);
    const name = JSON.stringify(token.name);
    if (names.has(token.name) || other !== undefined) {
      const fault = names.has(token.name)
        ? `the name ${name} is given twice`
        : `${name} has the token of ${other}`;
      tools.fail(fault, elements[index]?.place ?? {}, [index]);
      unique = false;
    }
    names.add(token.name);
    secrets.set(secret, name);
  }
  return unique;
}
