/** The filter of the decision log, as it stands in the address. */

const NAMES = ["subject", "action", "resource", "policy", "decision", "since", "until"] as const;

/** Conditions on records; those of the API. Absent: any. */
export type RecordFilter = { readonly [K in (typeof NAMES)[number]]?: string };

/** The filter of an address. */
export function filterIn(query: Readonly<Record<string, string>>): RecordFilter {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const text = query[name] ?? "";
      return text === "" ? [] : [[name, text] as const];
    }),
  );
}

/** The query of an address with a filter and other parts; parts that are empty are left out. */
export function searchOf(filter: RecordFilter, more: Readonly<Record<string, string>>): string {
  const parts = Object.entries({ ...filter, ...more }).filter(([, text]) => text !== "");
  const text = new URLSearchParams(parts).toString();
  return text === "" ? "" : `?${text}`;
}
