/**
 * Patterns of a plan, cut by the constant beginning of the ARNs of a table: what is left is matched against columns.
 */

/** A plan that has no exact counterpart in SQL. The message says which part, and what to do. */
export class UntranslatablePlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UntranslatablePlanError";
  }
}

const FIELDS_BEFORE_RESOURCE = 5;

/**
 * Returns the patterns that the rest of an ARN must match one of, so that the ARN matches the pattern; none where it
 * cannot (spec/evaluation §3).
 * @param start the constant beginning of the ARN; it includes the five colons before the resource
 * @throws UntranslatablePlanError for a pattern that is no ARN
 */
export function residualsOf(pattern: string, start: string): string[] {
  if (pattern === "*") return ["*"];
  const [wanted, given] = [fieldsOf(pattern), fieldsOf(start)];
  if (wanted === undefined) throw new UntranslatablePlanError(`the pattern ${pattern} is no ARN`);
  if (given === undefined)
    throw new TypeError(`the mapping's first text is no beginning of an ARN: ${start}`);
  // The region does not count.
  const isSame = [0, 1, 2, 4].every((field) => wanted.head[field] === given.head[field]);
  return isSame ? afterLiteral(wanted.resource, given.resource) : [];
}

function fieldsOf(arn: string): { readonly head: readonly string[]; readonly resource: string } | undefined {
  const parts = arn.split(":");
  if (parts.length <= FIELDS_BEFORE_RESOURCE || parts[0] !== "arn") return undefined;
  return {
    head: parts.slice(0, FIELDS_BEFORE_RESOURCE),
    resource: parts.slice(FIELDS_BEFORE_RESOURCE).join(":"),
  };
}

/** Walks the pattern along a literal text, at all places at once where it can be. */
function afterLiteral(pattern: string, literal: string): string[] {
  const signs = [...pattern];
  let places = withSkippedStars(new Set([0]), signs);
  for (const character of literal) {
    const next = new Set<number>();
    for (const place of places) {
      const sign = signs[place];
      if (sign === "*") next.add(place);
      else if (sign === "?" || sign === character) next.add(place + 1);
    }
    places = withSkippedStars(next, signs);
  }
  // Behind a star begins what the star itself already covers.
  const kept = [...places].filter(
    (place) => !(place > 0 && signs[place - 1] === "*" && places.has(place - 1)),
  );
  return [...new Set(kept.map((place) => signs.slice(place).join("")))];
}

function withSkippedStars(places: Set<number>, signs: readonly string[]): Set<number> {
  for (const place of places) if (signs[place] === "*") places.add(place + 1);
  return places;
}
