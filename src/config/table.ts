/** The one table of every configuration item, and what follows from it: names, types of values, variables. */

import type { ConfigItem, ItemValue } from "./item.ts";
import { ACTIONS_ITEMS } from "./items/actions.ts";
import { AUTH_ITEMS } from "./items/auth.ts";
import { AUTHORIZER_ITEMS } from "./items/authorizer.ts";
import { AUTHORIZER_LIMIT_ITEMS } from "./items/authorizer-limits.ts";
import { BLOCKSTORE_ITEMS } from "./items/blockstore.ts";
import { DATABASE_ITEMS } from "./items/database.ts";
import { EMAIL_ITEMS } from "./items/email.ts";
import { GENERAL_ITEMS } from "./items/general.ts";
import { LOGGING_ITEMS } from "./items/logging.ts";
import { VERSIONING_ITEMS } from "./items/versioning.ts";

const SECTIONS = [
  { title: "Authorizer", items: AUTHORIZER_ITEMS },
  { title: "Authorizer limits", items: AUTHORIZER_LIMIT_ITEMS },
  { title: "General", items: GENERAL_ITEMS },
  { title: "Authentication", items: AUTH_ITEMS },
  { title: "Database", items: DATABASE_ITEMS },
  { title: "Logging", items: LOGGING_ITEMS },
  { title: "E-mail", items: EMAIL_ITEMS },
  { title: "Block store", items: BLOCKSTORE_ITEMS },
  { title: "Graveler and committed storage", items: VERSIONING_ITEMS },
  { title: "Actions (hooks)", items: ACTIONS_ITEMS },
] as const;

type Row = (typeof SECTIONS)[number]["items"][number];

/** The name of any item. */
export type ConfigName = Row["name"];

/** The effective configuration: every item under its dotted name, durations in milliseconds, sizes in bytes. */
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

/** The table by sections, in the order of the reference. */
export const CONFIG_SECTIONS: readonly ConfigSection[] = SECTIONS;

/** The table as a flat list. */
export const CONFIG_ITEMS: readonly NamedItem[] = CONFIG_SECTIONS.flatMap((section) => section.items);

const BY_NAME: ReadonlyMap<string, NamedItem> = new Map(CONFIG_ITEMS.map((item) => [item.name, item]));

/** The item of that dotted name, if there is one. */
export function findItem(name: string): NamedItem | undefined {
  return BY_NAME.get(name);
}

/** The item of a name that is known to exist. */
export function itemNamed(name: ConfigName): NamedItem {
  return BY_NAME.get(name) as NamedItem;
}

/** The environment variable of an item: `logging.format` is `SVC_LOGGING_FORMAT`. */
export function variableOf(name: string): string {
  return `SVC_${name.toUpperCase().replaceAll(".", "_")}`;
}
