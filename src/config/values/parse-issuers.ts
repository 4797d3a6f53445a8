/** The value of `authorizer.oidc.issuers`: identity providers whose tokens are verified. */

import { parseDuration } from "@svc-authorizer/commands/duration.ts";
import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import {
  type RawEntry,
  type RawMap,
  type RawValue,
  shapeName,
} from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { type AnyItem, OIDC_ALGORITHMS, type OidcIssuerItem } from "../item.ts";
import { jsonOf, splitList } from "./parse-collections.ts";
import { expected, type ParserTools } from "./value-parser.ts";

const FIELDS: readonly string[] = [
  "name",
  "issuer",
  "audience",
  "algorithms",
  "jwks_uri",
  "username_claim",
  "groups_claim",
  "assert_groups",
  "directory_users",
  "required_claims",
  "clock_tolerance",
  "sign_in",
  "title",
  "client_id",
  "client_secret",
  "client_secret_file",
  "scopes",
  "create_users",
  "end_session",
  "external_id_claim",
  "bare_external_id",
];
const DEFAULT_SCOPES = ["openid", "profile", "email"];
const LONGEST_TOLERANCE_MS = 300_000;
const DEFAULT_TOLERANCE_MS = 30_000;

/** A list of issuers: of YAML, or a JSON text. Every fault of every element is reported. */
export function parseIssuers(
  raw: RawValue,
  item: AnyItem,
  tools: ParserTools,
): readonly OidcIssuerItem[] | undefined {
  if (raw.shape === "scalar" && raw.text.trim() === "") return undefined;
  const list = raw.shape === "scalar" ? jsonOf(raw) : raw;
  if (list?.shape !== "list") {
    return tools.fail(
      expected("a list of {name, issuer, audience} (in a variable: JSON)", raw, item),
      raw.place,
    );
  }
  const parsed = list.elements.map((element, index) => parseIssuer(element, index, tools));
  const issuers = parsed.filter((one) => one !== undefined);
  if (issuers.length !== parsed.length) return undefined;
  for (const field of ["name", "issuer"] as const) {
    if (new Set(issuers.map((one) => one[field])).size === issuers.length) continue;
    return tools.fail(`two issuers have the same ${field}`, raw.place);
  }
  if (issuers.filter((one) => one.sign_in && one.bare_external_id).length > 1) {
    return tools.fail("bare_external_id: at most one issuer may write external ids as they are", raw.place);
  }
  return issuers;
}

function parseIssuer(raw: RawValue, index: number, tools: ParserTools): OidcIssuerItem | undefined {
  if (raw.shape !== "map") {
    return tools.fail(`expected {name, issuer, audience}, found ${shapeName(raw)}`, raw.place, [index]);
  }
  const fields = new Fields(raw, index, tools);
  const name = fields.text("name") ?? fields.missing<string>("name");
  const signIn = fields.signIn(name);
  const issuer: OidcIssuerItem = {
    name,
    issuer: fields.url("issuer") ?? fields.missing("issuer"),
    // Who only signs in with it has no tokens for others.
    audience: fields.texts("audience") ?? (signIn.sign_in ? [] : fields.missing("audience")),
    algorithms: fields.algorithms(),
    jwks_uri: fields.url("jwks_uri"),
    username_claim: fields.text("username_claim") ?? "sub",
    groups_claim: fields.text("groups_claim") ?? "groups",
    assert_groups: fields.texts("assert_groups") ?? [],
    directory_users: fields.flag("directory_users"),
    required_claims: fields.claims("required_claims"),
    clock_tolerance: fields.tolerance(),
    ...signIn,
  };
  return fields.sound ? issuer : undefined;
}

/** The fields of one issuer. */
class Fields {
  sound = true;
  readonly #fields = new Map<string, RawEntry>();
  readonly #raw: RawMap;
  readonly #index: number;
  readonly #tools: ParserTools;

  constructor(raw: RawMap, index: number, tools: ParserTools) {
    this.#raw = raw;
    this.#index = index;
    this.#tools = tools;
    for (const entry of raw.entries) {
      if (FIELDS.includes(entry.key)) this.#fields.set(entry.key, entry);
      else {
        const shown = entry.key.slice(0, 60);
        this.#fail(`unknown field ${JSON.stringify(shown)}${suggestion(shown, FIELDS)}`, shown);
      }
    }
  }

  text(name: string): string | undefined {
    const value = this.#fields.get(name)?.value;
    if (value === undefined || value.shape === "null") return undefined;
    if (value.shape === "scalar" && value.text !== "") return value.text;
    return this.#fail("expected a text", name);
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#fields.get(name)?.value;
    if (value === undefined || value.shape === "null") return undefined;
    const list = value.shape === "scalar" ? splitList(value) : value;
    const elements = list?.shape === "list" ? list.elements : [];
    const texts = elements.flatMap((one) => (one.shape === "scalar" && one.text !== "" ? [one.text] : []));
    if (list?.shape === "list" && texts.length === elements.length) return texts;
    return this.#fail("expected a list of texts", name);
  }

  /** Names with the values that count: a text, or a list of texts. */
  claims(name: string): ReadonlyMap<string, readonly string[]> {
    const value = this.#fields.get(name)?.value;
    const claims = new Map<string, readonly string[]>();
    // Nothing behind the name is a mistake: to ask for no claim at all would let more in than was meant.
    if (value === undefined) return claims;
    for (const { key, value: given } of value.shape === "map" ? value.entries : []) {
      const elements = given.shape === "list" ? given.elements : [given];
      const texts = elements.flatMap((one) => (one.shape === "scalar" && one.text !== "" ? [one.text] : []));
      if (texts.length === elements.length && texts.length > 0) claims.set(key, texts);
      else this.#fail(`${JSON.stringify(key.slice(0, 60))}: expected one or more texts`, name);
    }
    if (claims.size === 0) this.#fail("expected names of claims, each with its values", name);
    return claims;
  }

  url(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    const local = url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
    if (url !== null && (url.protocol === "https:" || local) && url.search === "" && url.hash === "")
      return text;
    return this.#fail("expected an https URL without query and fragment", name);
  }

  algorithms(): readonly string[] {
    const given = this.texts("algorithms");
    if (given === undefined) return ["RS256"];
    const known = given.every((one) => OIDC_ALGORITHMS.some((algorithm) => algorithm === one));
    if (known && given.length > 0) return given;
    this.#fail(`expected some of ${OIDC_ALGORITHMS.join(", ")}`, "algorithms");
    return [];
  }

  flag(name: string): boolean {
    const text = this.text(name) ?? "false";
    if (text === "true" || text === "false") return text === "true";
    this.#fail("expected true or false", name);
    return false;
  }

  tolerance(): number {
    const text = this.text("clock_tolerance");
    const milliseconds = text === undefined ? DEFAULT_TOLERANCE_MS : parseDuration(text);
    if (milliseconds !== undefined && milliseconds <= LONGEST_TOLERANCE_MS) return milliseconds;
    this.#fail("expected a duration of at most 5m", "clock_tolerance");
    return 0;
  }

  /** The fields of signing in (spec/sign-in §1). */
  signIn(name: string) {
    const signIn = this.flag("sign_in");
    const given = {
      sign_in: signIn,
      title: this.text("title") ?? name,
      client_id: this.text("client_id"),
      client_secret: this.text("client_secret"),
      client_secret_file: this.text("client_secret_file"),
      scopes: this.texts("scopes") ?? DEFAULT_SCOPES,
      create_users: this.flag("create_users"),
      end_session: this.flag("end_session"),
      external_id_claim: this.text("external_id_claim") ?? "sub",
      bare_external_id: this.flag("bare_external_id"),
    };
    if (!signIn) return given;
    if (given.client_id === undefined) this.missing("client_id");
    if (given.client_secret !== undefined && given.client_secret_file !== undefined) {
      this.#fail("give client_secret or client_secret_file, not both", "client_secret");
    }
    if (!given.scopes.includes("openid")) this.#fail("openid must be one of them", "scopes");
    // It stands before the ids of its people, where it must end somewhere.
    if (name?.includes(":")) this.#fail("must not have a colon where people sign in with it", "name");
    // A token that proves a sign-in here is no proof at other services.
    if (given.client_id !== undefined && this.texts("audience")?.includes(given.client_id)) {
      this.#fail("must not name the client_id: an ID token would count as an access token", "audience");
    }
    return given;
  }

  /** Reports a field that is needed, unless something else is wrong with it. */
  missing<T>(name: string): T {
    const value = this.#fields.get(name)?.value;
    if (value === undefined || value.shape === "null") this.#fail("required", name);
    return undefined as T;
  }

  #fail(message: string, name: string): undefined {
    this.sound = false;
    const place = this.#fields.get(name)?.value.place ?? this.#raw.place;
    return this.#tools.fail(`${name}: ${message}`, place, [this.#index, name]);
  }
}
