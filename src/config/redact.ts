/** Values as they may be shown: in the notation of a file, without secrets. */

import { formatDuration } from "@svc-authorizer/commands/duration.ts";
import type {
  AnyItem,
  MirrorRegionItem,
  OidcIssuerItem,
  Rate,
  ServiceTokenItem,
  WebUserItem,
} from "./item.ts";
import { formatBytes } from "./values/bytes.ts";
import { formatRate } from "./values/rate.ts";
import { REDACTED, redactUrl } from "./values/redact-url.ts";

/** A value that JSON and YAML can hold. */
export type ShownValue =
  | string
  | number
  | boolean
  | null
  | readonly ShownValue[]
  | { readonly [key: string]: ShownValue };

/** The value of an item for people: null if there is none, `<redacted>` for secrets. */
export function shownValue(item: AnyItem, value: unknown): ShownValue {
  if (value === undefined) return null;
  if (item.type === "tokens") return (value as readonly ServiceTokenItem[]).map(shownToken);
  if (item.type === "issuers") return (value as readonly OidcIssuerItem[]).map(shownIssuer);
  if (item.type === "web_users") return (value as readonly WebUserItem[]).map(shownWebUser);
  if (item.type === "regions") return shownRegions(value as ReadonlyMap<string, MirrorRegionItem>);
  if (item.name === "database.postgres.connection_string") return redactConnectionString(value as string);
  if (item.secret) return value === "" ? "" : REDACTED;
  if (item.type === "duration") return formatDuration(value as number);
  if (item.type === "bytes") return formatBytes(value as number);
  if (item.type === "rate") return formatRate(value as Rate);
  if (item.type === "map") return Object.fromEntries(value as ReadonlyMap<string, string>);
  if (item.type === "strings") return (value as readonly string[]).map(redactUrl);
  return typeof value === "string" ? redactUrl(value) : (value as ShownValue);
}

function shownToken({
  name,
  token,
  token_file,
  token_sha256,
  scopes,
  assert_groups,
}: ServiceTokenItem): ShownValue {
  return {
    name,
    ...(token !== undefined && { token: REDACTED }),
    ...(token_file !== undefined && { token_file }),
    ...(token_sha256 !== undefined && { token_sha256: REDACTED }),
    scopes,
    ...(assert_groups !== undefined && { assert_groups }),
  };
}

function shownIssuer({ clock_tolerance, client_secret, ...issuer }: OidcIssuerItem): ShownValue {
  const shown = {
    ...issuer,
    clock_tolerance: formatDuration(clock_tolerance),
    client_secret: client_secret === undefined ? undefined : REDACTED,
  };
  const given = Object.entries(shown).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as ShownValue;
}

function shownWebUser({ issuer, claims, user }: WebUserItem): ShownValue {
  return { issuer, claims: Object.fromEntries(claims), user };
}

function shownRegions(regions: ReadonlyMap<string, MirrorRegionItem>): ShownValue {
  const shown = [...regions].map(([name, { secret_access_key: secret, ...region }]) => [
    name,
    { ...region, ...(secret !== undefined && { secret_access_key: REDACTED }) },
  ]);
  return Object.fromEntries(shown);
}

/** Parameters of a connection string that are no secrets. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set([
  "sslmode",
  "connect_timeout",
  "application_name",
  "host",
  "port",
  "dbname",
  "user",
  "search_path",
  "target_session_attrs",
]);

/** Scheme, user, hosts, database and known parameters of a connection URL; any other form is hidden whole. */
export function redactConnectionString(text: string): string {
  if (text === "") return "";
  const url = /^postgres(?:ql)?:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null || url.hash !== "" || !/^\/?[\w.%-]*$/.test(url.pathname)) return REDACTED;
  if (`${url.host}${url.search}`.includes("@")) return REDACTED;
  const login = url.password === "" ? url.username : `${url.username}:${REDACTED}`;
  const query = url.search === "" ? "" : `?${shownParameters(url.searchParams)}`;
  return `${url.protocol}//${login === "" ? "" : `${login}@`}${url.host}${url.pathname}${query}`;
}

/** The known parameters in front; from the first other one on, all may be part of a secret. */
function shownParameters(parameters: URLSearchParams): string {
  const shown: string[] = [];
  for (const [key, value] of parameters) {
    if (!OPEN_PARAMETERS.has(key)) return [...shown, REDACTED].join("&");
    shown.push(`${key}=${value}`);
  }
  return shown.join("&");
}
