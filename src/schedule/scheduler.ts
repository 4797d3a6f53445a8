/**
 * Long work in turns of the event loop, so that no request waits for another one's work (spec/security §5.3). There is
 * one event loop, so there is one {@link scheduler}: whatever is long shares its budget for each turn.
 */

import { beginTurn } from "./turn-beginning.ts";
import { turnEnd } from "./turn-end.ts";

/** Milliseconds of long work in one turn of the event loop. */
export const TURN_MS = 4;

/** The caller who waits for work. Its signal is asked for only where work is long: most callers never need one. */
export interface Waiter {
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The work budget of one request, in the units that steps yield. All steps of a request share it. @see Scheduler.run
 */
export class WorkBudget {
  #left: number;
  readonly #refusal: () => Error;
  /** Aborted when the caller is gone: all work on this budget then ends with the signal's reason. */
  readonly signal: AbortSignal | undefined;

  /**
   * @param units units of work
   * @param refusal makes the error that ends the work above them; it says which limit
   * @param signal aborted when the caller is gone
   */
  constructor(units: number, refusal: () => Error, signal?: AbortSignal) {
    this.#left = units;
    this.#refusal = refusal;
    this.signal = signal;
  }

  /** Takes units off; throws the refusal when there are not enough, and the signal's reason when the caller is gone. */
  spend(units: number): void {
    this.signal?.throwIfAborted();
    this.#left -= units;
    if (this.#left < 0) throw this.#refusal();
  }
}

/** Options that can end work early. */
interface RunOptions {
  readonly budget?: WorkBudget | undefined;
  /** Aborted when the caller is gone. The work ends with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface Job {
  readonly steps: Generator<unknown, unknown>;
  readonly options: RunOptions;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Shares turns of the event loop between jobs, in order. */
export class Scheduler {
  /** Jobs, and those who do their own work in a turn. */
  readonly #queue: (Job | (() => void))[] = [];
  readonly #turnMs: number;
  #scheduled = false;

  /** @param turnMs milliseconds of work in one turn of the event loop */
  constructor(turnMs: number = TURN_MS) {
    this.#turnMs = turnMs;
  }

  /**
   * Runs `steps` to their end, in slices; resolves with what they return, rejects with what they throw. Numbers that
   * they yield are units of work and are taken off the budget.
   */
  run<T>(steps: Generator<unknown, T>, options: RunOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ steps, options, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Resolves at the beginning of the next free turn, which then belongs to the caller alone. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#runTurn();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #runTurn(): void {
    turnEnd.run();
    const end = performance.now() + this.#turnMs;
    while (this.#queue.length > 0 && performance.now() < end) {
      const next = this.#queue.shift() as Job | (() => void);
      if (typeof next === "function") {
        beginTurn();
        next();
        return;
      }
      if (advance(next, end)) this.#queue.push(next);
    }
  }
}

/** Advances a job until it ends or the time is up; true when there is more to do. */
function advance({ steps, options, resolve, reject }: Job, end: number): boolean {
  try {
    options.signal?.throwIfAborted();
    options.budget?.signal?.throwIfAborted();
    do {
      const step = steps.next();
      if (step.done) {
        resolve(step.value);
        return false;
      }
      if (typeof step.value === "number") options.budget?.spend(step.value);
    } while (performance.now() < end);
    return true;
  } catch (error) {
    reject(error);
    // Work that is not done to its end gives back what it holds.
    steps.return(undefined);
    return false;
  }
}

/** The scheduler of this process. */
export const scheduler = new Scheduler();
