/** The number of worker processes (`authorizer.workers`). */

/** Most workers. */
const MOST_WORKERS = 32;

/** Reads `auto` or a number; undefined for anything else. `auto` is one less than the cores, at least 1. */
export function workerCount(text: string, cores: number): number | undefined {
  if (text === "auto") return Math.min(MOST_WORKERS, Math.max(1, cores - 1));
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const count = Number(text);
  return count >= 1 && count <= MOST_WORKERS ? count : undefined;
}
