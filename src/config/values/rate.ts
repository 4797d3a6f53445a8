/** Rates: `20/m` is twenty a minute. */
import type { Rate } from "../item.ts";

const INTERVALS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Returns the rate of a text such as `20/m`; undefined for another text and for zero. */
export function parseRate(text: string): Rate | undefined {
  const [, amount, unit] = /^(\d{1,9})\s*\/\s*([smh])$/.exec(text) ?? [];
  const count = Number(amount);
  if (unit === undefined || count === 0) return undefined;
  return { count, intervalMs: INTERVALS.get(unit) as number };
}

/** Returns the text of a rate. */
export function formatRate(rate: Rate): string {
  const unit = [...INTERVALS].find(([, interval]) => interval === rate.intervalMs)?.[0];
  return `${rate.count}/${unit ?? `${rate.intervalMs}ms`}`;
}
