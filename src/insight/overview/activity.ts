/** Decisions for each minute of some hours: plain numbers, read off the counters of decisions. */

import type { DecisionCounters } from "../../decisions/decisions.ts";

/** The decisions of one minute. */
interface Minute {
  /** Unix milliseconds of its begin. */
  readonly at: number;
  readonly allowed: number;
  readonly refused: number;
}

/** The decisions of a process, or of several. */
export interface ActivityReport {
  /** Unix milliseconds: nothing before it was counted. */
  readonly since: number;
  /** Processes whose decisions are missing, as they did not report in time. */
  readonly unanswered: number;
  /** Minutes with decisions, oldest first; the last of them may not be over. */
  readonly minutes: readonly Minute[];
}

type Totals = Pick<Minute, "allowed" | "refused">;

const MINUTE_MS = 60_000;
/** Time between two looks at the counters: a decision may be counted in the minute before its own. */
const LOOK_MS = 5_000;
/** Minutes that are kept. */
const KEPT = 6 * 60;
/** Questions that somebody acts on; searches, simulations and calls of the management API are none. */
const ENTRANCES = ["evaluation", "evaluations", "check", "filter", "request", "forward_auth"] as const;

/** Reads the counters of one process again and again. */
export class Activity {
  readonly #counters: Pick<DecisionCounters, "decisions">;
  readonly #since = Date.now();
  readonly #timer: NodeJS.Timeout;
  #minutes: Minute[] = [];
  #seen: Totals;

  constructor(counters: Pick<DecisionCounters, "decisions">) {
    this.#counters = counters;
    this.#seen = this.#totals();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** The decisions up to now. */
  report(): ActivityReport {
    this.#look();
    return { since: this.#since, unanswered: 0, minutes: [...this.#minutes] };
  }

  /** Ends the counting. */
  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const totals = this.#totals();
    const allowed = totals.allowed - this.#seen.allowed;
    const refused = totals.refused - this.#seen.refused;
    this.#seen = totals;
    const at = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    if (allowed + refused > 0) this.#minutes = merged([this.#minutes, [{ at, allowed, refused }]]);
    this.#minutes = recent(this.#minutes, at);
  }

  #totals(): Totals {
    const { decisions } = this.#counters;
    let [allowed, refused] = [0, 0];
    for (const entrance of ENTRANCES) {
      const { allow, neutral, deny } = decisions[entrance];
      allowed += allow;
      refused += neutral + deny;
    }
    return { allowed, refused };
  }
}

/**
 * The decisions of several processes as those of one, since the last of them began: of the time before, those of a
 * process that was replaced are not known.
 * @param reports at least one
 * @param unanswered processes that did not report
 */
export function mergedActivity(reports: readonly ActivityReport[], unanswered: number): ActivityReport {
  const since = Math.max(...reports.map((report) => report.since));
  const minutes = merged(reports.map((report) => report.minutes));
  return { since, unanswered, minutes: minutes.filter(({ at }) => at + MINUTE_MS > since) };
}

function merged(lists: readonly (readonly Minute[])[]): Minute[] {
  const byTime = new Map<number, Minute>();
  for (const { at, allowed, refused } of lists.flat()) {
    const known = byTime.get(at) ?? { allowed: 0, refused: 0 };
    byTime.set(at, { at, allowed: known.allowed + allowed, refused: known.refused + refused });
  }
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}

function recent(minutes: Minute[], now: number): Minute[] {
  return minutes.filter(({ at }) => at > now - KEPT * MINUTE_MS);
}
