/** JSON values that are nearly what they should be. */

import fc from "fast-check";

const DEEP = 400;
const deep = Array.from({ length: DEEP }).reduce<unknown>((inner) => [{ a: inner }], 1);

/** Values that stand where others should. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, -1, 0, 1, 0.5, 1e308, 2 ** 53, "", " ", [], {}, [null], [[]]),
  fc.constantFrom(
    "\u0000",
    "\ud800",
    "e\u0301",
    "\u202e",
    "*",
    "?",
    "${user}",
    "${",
    "..",
    "%2F",
    "\r\nX: y",
  ),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "arn:svc:fs:::",
    "AKIAJEXAMPLE",
    "9999-12-31T23:59:59Z",
  ),
  fc.constantFrom(
    "x".repeat(70_000),
    deep,
    Array.from({ length: 2_000 }, (_, index) => index),
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);

/** The change of one place in a value. Numbers choose the place and the name. */
interface Change {
  readonly place: number;
  readonly kind: "replace" | "remove" | "repeat" | "add";
  readonly name: string;
  readonly value: unknown;
}

export const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom(
    "replace" as const,
    "replace" as const,
    "remove" as const,
    "repeat" as const,
    "add" as const,
  ),
  name: fc.constantFrom("__proto__", "constructor", "extra", "", "format", "$ref"),
  value: oddValue,
});

/** The value with a change. */
export function changed(value: unknown, { place, kind, name, value: odd }: Change): unknown {
  const whole = { value: structuredClone(value) };
  const places = [...placesIn(whole)];
  const [holder, key] = places[place % places.length] as Place;
  const present = holder[key];
  if (kind === "remove" && holder !== whole) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  } else if (kind === "repeat") holder[key] = [present, present];
  else if (kind === "add" && isMap(present)) define(present, name, odd);
  else holder[key] = odd;
  return whole.value;
}

type Holder = Record<string, unknown>;
type Place = readonly [Holder, string];

function* placesIn(holder: Holder): Generator<Place> {
  for (const [key, value] of Object.entries(holder)) {
    yield [holder, key];
    if (typeof value === "object" && value !== null) yield* placesIn(value as Holder);
  }
}

function isMap(value: unknown): value is Holder {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of any name, also of one that would set a prototype. */
function define(holder: Holder, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
