/** The table of all configuration items, and what follows from it: names, types of values, variables. */

import { DATA_SERVER_ITEMS } from "./data-server-items.ts";
import type { AnyItem, ConfigItem, ItemValue } from "./item.ts";
import { AUTH_ITEMS } from "./items/auth.ts";
import { AUTHENTICATION_ITEMS } from "./items/authentication.ts";
import { AUTHORIZER_ITEMS } from "./items/authorizer.ts";
import { AUTHORIZER_LIMIT_ITEMS } from "./items/authorizer-limits.ts";
import { DATABASE_ITEMS } from "./items/database.ts";
import { DECISION_LOG_ITEMS } from "./items/decision-log.ts";
import { EMAIL_ITEMS } from "./items/email.ts";
import { EXCHANGE_ITEMS } from "./items/exchange.ts";
import { FORWARD_AUTH_ITEMS } from "./items/forward-auth.ts";
import { GENERAL_ITEMS } from "./items/general.ts";
import { LDAP_ITEMS } from "./items/ldap.ts";
import { LOGGING_ITEMS } from "./items/logging.ts";
import { MIRRORING_ITEMS } from "./items/mirroring.ts";
import { PASSWORD_ITEMS } from "./items/passwords.ts";
import { REMOTE_AUTHENTICATOR_ITEMS } from "./items/remote-authenticator.ts";
import { SCIM_ITEMS } from "./items/scim.ts";
import { SESSION_COOKIE_ITEMS } from "./items/session-cookies.ts";
import { SIGN_IN_ITEMS } from "./items/sign-in.ts";
import { STS_ITEMS } from "./items/sts.ts";

const SECTIONS = [
  { title: "Authorizer", items: AUTHORIZER_ITEMS },
  { title: "Forward-auth", items: FORWARD_AUTH_ITEMS },
  { title: "Exchange", items: EXCHANGE_ITEMS },
  { title: "SCIM", items: SCIM_ITEMS },
  { title: "Authentication API", items: AUTHENTICATION_ITEMS },
  { title: "Sign-in", items: SIGN_IN_ITEMS },
  { title: "Passwords", items: PASSWORD_ITEMS },
  { title: "LDAP", items: LDAP_ITEMS },
  { title: "Remote authenticator", items: REMOTE_AUTHENTICATOR_ITEMS },
  { title: "Security token service", items: STS_ITEMS },
  { title: "Mirroring", items: MIRRORING_ITEMS },
  { title: "Authorizer limits", items: AUTHORIZER_LIMIT_ITEMS },
  { title: "Decision log", items: DECISION_LOG_ITEMS },
  { title: "General", items: GENERAL_ITEMS },
  { title: "Authentication", items: AUTH_ITEMS },
  { title: "Session cookies of the data server", items: SESSION_COOKIE_ITEMS },
  { title: "Database", items: DATABASE_ITEMS },
  { title: "Logging", items: LOGGING_ITEMS },
  { title: "E-mail", items: EMAIL_ITEMS },
] as const;

type Row = (typeof SECTIONS)[number]["items"][number];

/** The name of an item of this service. */
export type ConfigName = Row["name"];

/**
 * The effective configuration: the items of this service under their dotted names, durations in milliseconds, sizes in
 * bytes. The items of the data server are in it too, for {@link effectiveValue} alone.
 */
export type ConfigValues = { readonly [Item in Row as Item["name"]]: ItemValue<Item> };

/** One section of the reference. */
export interface ConfigSection {
  readonly title: string;
  readonly items: readonly NamedItem[];
}

/** A row of the table under a name that the table knows. */
export interface NamedItem extends ConfigItem {
  readonly name: ConfigName;
}

/** The items of this service by sections, in the order of the reference. */
export const CONFIG_SECTIONS: readonly ConfigSection[] = SECTIONS;

/** The items of this service. */
export const CONFIG_ITEMS: readonly NamedItem[] = CONFIG_SECTIONS.flatMap((section) => section.items);

/** Every item whose values are checked: those of this service, then those that only the data server reads. */
export const ALL_ITEMS: readonly AnyItem[] = [...CONFIG_ITEMS, ...DATA_SERVER_ITEMS];

const BY_NAME: ReadonlyMap<string, AnyItem> = new Map(ALL_ITEMS.map((item) => [item.name, item]));

/** Returns the item of that dotted name, of this service or of the data server. */
export function findItem(name: string): AnyItem | undefined {
  return BY_NAME.get(name);
}

/** Returns the item of this service with that name. */
export function itemNamed(name: ConfigName): NamedItem {
  return BY_NAME.get(name) as NamedItem;
}

/** Returns the effective value of any item of {@link ALL_ITEMS}. */
export function effectiveValue(values: ConfigValues, name: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[name];
}

/** The environment variable of an item: `logging.format` is `SVC_LOGGING_FORMAT`. */
export function variableOf(name: string): string {
  return `SVC_${name.toUpperCase().replaceAll(".", "_")}`;
}
