/** Two states gone through side by side. */

/** The members of two states in one place; at least one of them is there. */
interface Pair<T> {
  readonly past: T | undefined;
  readonly present: T | undefined;
}

/** Pairs the members of two sequences, which are both in the order that `compare` says and have no two equal ones. */
export async function* inStep<T>(
  past: AsyncIterable<T>,
  present: AsyncIterable<T>,
  compare: (a: T, b: T) => number,
): AsyncGenerator<Pair<T>> {
  const [then, now] = [past[Symbol.asyncIterator](), present[Symbol.asyncIterator]()];
  try {
    let [one, other] = [await next(then), await next(now)];
    while (one !== undefined || other !== undefined) {
      const order = one === undefined ? 1 : other === undefined ? -1 : compare(one, other);
      yield { past: order <= 0 ? one : undefined, present: order >= 0 ? other : undefined };
      if (order <= 0) one = await next(then);
      if (order >= 0) other = await next(now);
    }
  } finally {
    await then.return?.();
    await now.return?.();
  }
}

async function next<T>(iterator: AsyncIterator<T>): Promise<T | undefined> {
  const { done, value } = await iterator.next();
  return done === true ? undefined : value;
}
