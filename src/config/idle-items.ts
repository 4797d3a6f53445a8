/** Items that are set and that this version does not act on. */
import type { Origins } from "./merge.ts";
import { CONFIG_ITEMS, type ConfigName, type ConfigValues, itemNamed } from "./table.ts";

/** One such item, and why nothing acts on it. */
export interface IdleItem {
  readonly name: ConfigName;
  readonly why: string;
}

const BACKENDS: readonly string[] = itemNamed("database.type").choices ?? [];

/**
 * Returns the items of this service that a source sets and that this version does not act on. Items of a
 * `database.<type>` section count only where that type is chosen: the others of a shared file are idle anyway.
 */
export function idleItems(values: ConfigValues, origins: Origins): readonly IdleItem[] {
  return CONFIG_ITEMS.flatMap(({ name, acts }) => {
    const [section, backend = ""] = name.split(".");
    const elsewhere =
      section === "database" && BACKENDS.includes(backend) && backend !== values["database.type"];
    const set = (origins.get(name)?.kind ?? "default") !== "default";
    return set && !elsewhere && acts.startsWith("no: ") ? [{ name, why: acts.slice("no: ".length) }] : [];
  });
}
