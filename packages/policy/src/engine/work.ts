/**
 * The price of work. A unit is about one nanosecond on a core of 2024: one character of a pattern compared with one
 * of a text, or what looking at an item costs besides. Long work comes as a generator that yields the units done since
 * its last step, so that whoever runs it can let others run and can stop what has become too much.
 */

/** Units between two steps: well under a millisecond of work. */
export const STEP_UNITS = 200_000;

/** Units that an item (a statement, a resource, a condition, a leaf of a tree) costs besides its characters. */
export const PER_ITEM = 500;

/** Work in steps. */
export type Steps<T> = Generator<number, T>;

/** Does all the work at once. */
export function finish<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does work at once, up to this many units; undefined where there is more, which the same steps then go on with. */
export function finishWithin<T>(
  steps: Generator<unknown, T>,
  most: number,
): { readonly value: T } | undefined {
  for (let units = 0; units <= most; ) {
    const step = steps.next();
    if (step.done) return { value: step.value };
    if (typeof step.value === "number") units += step.value;
  }
  return undefined;
}

/** Steps that cost the caller nothing, because something else has paid for them. */
export function* unpriced<T>(steps: Steps<T>): Generator<undefined, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
  }
}

/** Maps texts in steps. */
export function* mapTexts<T>(texts: readonly string[], map: (text: string) => T): Steps<T[]> {
  const mapped: T[] = [];
  let work = 0;
  for (const text of texts) {
    mapped.push(map(text));
    work += PER_ITEM + 4 * text.length;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  return mapped;
}
