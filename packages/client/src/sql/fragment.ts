/** Pieces of a SQL condition: text, values, and columns, which each library writes in its own way. */

/** A column of the table, as `name` or `table.name`. */
export interface Column {
  readonly column: string;
}

/** A value, never part of the text. */
export interface Value {
  readonly value: unknown;
}

/** Parts of a condition, in order. */
export type Fragment = readonly (string | Column | Value)[];

/** A condition that every row fulfils. */
export const ALWAYS: Fragment = ["1 = 1"];
/** A condition that no row fulfils. */
export const NEVER: Fragment = ["1 = 0"];

/** A template tag: a condition with columns and other conditions in it. */
export function fragment(texts: TemplateStringsArray, ...parts: readonly (Column | Fragment)[]): Fragment {
  return texts.flatMap((text, index): Fragment => {
    const part = parts[index];
    if (part === undefined) return [text];
    return "column" in part ? [text, part] : [text, ...part];
  });
}

/** Joins conditions with `AND` or `OR`, in parentheses; `empty` where there are none. */
export function join(conditions: readonly Fragment[], word: "AND" | "OR", empty: Fragment): Fragment {
  if (conditions.length === 0) return empty;
  const [only] = conditions;
  if (conditions.length === 1 && only !== undefined) return only;
  return ["(", ...conditions.flatMap((one, index) => (index === 0 ? one : [` ${word} `, ...one])), ")"];
}

/** A condition that holds exactly where the given one is known to be false. */
export function not(condition: Fragment): Fragment {
  return ["NOT (", ...condition, ")"];
}

/** The texts and the values between them, as template tags take them. */
export function asTemplate(fragment: Fragment): { strings: string[]; values: (Column | Value)[] } {
  const strings = [""];
  const values: (Column | Value)[] = [];
  for (const part of fragment) {
    if (typeof part === "string") strings[strings.length - 1] += part;
    else {
      values.push(part);
      strings.push("");
    }
  }
  return { strings, values };
}
