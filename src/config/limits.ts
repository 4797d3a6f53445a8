/** `authorizer.limits` under the names that code uses: `body_bytes` is `bodyBytes`, `request_timeout` is `requestTimeoutMs`. */
import { AUTHORIZER_LIMIT_ITEMS } from "./items/authorizer-limits.ts";
import type { ConfigValues } from "./table.ts";

const PREFIX = "authorizer.limits.";

type Row = (typeof AUTHORIZER_LIMIT_ITEMS)[number];

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type FieldOf<Item extends Row> = Item["name"] extends `${typeof PREFIX}${infer Name}`
  ? `${CamelCase<Name>}${Item["type"] extends "duration" ? "Ms" : ""}`
  : never;

/** Every limit: sizes in bytes of UTF-8, times in milliseconds. */
type Limits = { readonly [Item in Row as FieldOf<Item>]: number };

/** Returns the limits of a configuration. A room that needs some of them declares these fields in its own port. */
export function limitsOf(values: ConfigValues): Limits {
  return Object.fromEntries(
    AUTHORIZER_LIMIT_ITEMS.map(({ name, type }) => [limitField(name, type), values[name]]),
  ) as Limits;
}

/** Returns the field of {@link Limits} for an item. */
export function limitField(name: string, type: string): string {
  const camel = name.slice(PREFIX.length).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return type === "duration" ? `${camel}Ms` : camel;
}
