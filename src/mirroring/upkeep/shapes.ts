/** Shapes of stored values: what is stored may have been written by another version, or be damaged. */

/** The first place of a value that is not as it must be. */
export interface Misfit {
  /** Names and indexes of the way to it: `branches.main.heads.0`. */
  readonly at: string;
  readonly message: string;
  /** True for a member that this version does not know, where all that it knows is as it must be. */
  readonly isUnknownMember?: true;
}

/** Looks at a value; undefined where it has the shape. */
export type Shape = (value: unknown, at?: string) => Misfit | undefined;

const TEXT_BYTES = 100;

/** A text. */
export const text: Shape = (value, at = "") =>
  typeof value === "string" ? undefined : misfit(at, "a text", value);

/** A whole number that is not below 0. */
export const count: Shape = (value, at = "") =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : misfit(at, "a number from 0 on", value);

/** A text that a pattern matches. */
export function matching(pattern: RegExp, what: string): Shape {
  return (value, at = "") =>
    typeof value === "string" && pattern.test(value) ? undefined : misfit(at, what, value);
}

/** One of these values. */
export function oneOf(...values: readonly unknown[]): Shape {
  return (value, at = "") =>
    values.includes(value) ? undefined : misfit(at, `one of ${values.map(String).join(", ")}`, value);
}

/** A list, of at most so many items. */
export function listOf(item: Shape, most = Number.POSITIVE_INFINITY): Shape {
  return (value, at = "") => {
    if (!Array.isArray(value)) return misfit(at, "a list", value);
    if (value.length > most) return { at, message: `has ${value.length} items, and may have ${most}` };
    return worst(value.map((one: unknown, index) => item(one, step(at, index))));
  };
}

/** A list with one item of each shape. */
export function tupleOf(...items: readonly Shape[]): Shape {
  return (value, at = "") =>
    Array.isArray(value) && value.length === items.length
      ? worst(items.map((item, index) => item(value[index], step(at, index))))
      : misfit(at, `a list of ${items.length}`, value);
}

/** An object with any names, whose values have one shape. */
export function tableOf(item: Shape): Shape {
  return (value, at = "") =>
    isObject(value)
      ? worst(Object.entries(value).map(([name, one]) => item(one, step(at, name))))
      : misfit(at, "an object", value);
}

/** An object with these members; those of `more` may be absent. */
export function objectOf(
  members: Readonly<Record<string, Shape>>,
  more: Readonly<Record<string, Shape>> = {},
): Shape {
  const known = new Map([...Object.entries(members), ...Object.entries(more)]);
  return (value, at = "") => {
    if (!isObject(value)) return misfit(at, "an object", value);
    const found: (Misfit | undefined)[] = [];
    for (const [name, shape] of known) {
      if (Object.hasOwn(value, name)) found.push(shape(value[name], step(at, name)));
      else if (Object.hasOwn(members, name)) found.push({ at: step(at, name), message: "is missing" });
    }
    const unknown = Object.keys(value).find((name) => !known.has(name));
    if (unknown !== undefined) {
      const message = "is a member that this version does not know";
      found.push({ at: step(at, unknown), message, isUnknownMember: true });
    }
    return worst(found);
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first fault; where there is none, the first member that is not known. */
function worst(found: readonly (Misfit | undefined)[]): Misfit | undefined {
  return found.find((one) => one !== undefined && one.isUnknownMember !== true) ?? found.find(Boolean);
}

function step(at: string, name: string | number): string {
  return at === "" ? String(name) : `${at}.${name}`;
}

function misfit(at: string, wanted: string, value: unknown): Misfit {
  const shown = JSON.stringify(value) ?? "nothing";
  const cut = shown.length > TEXT_BYTES ? `${shown.slice(0, TEXT_BYTES)}…` : shown;
  return { at, message: `must be ${wanted}, and is ${cut}` };
}
