/** Long synchronous work in slices, so that no request waits for another one's compilation (security.md §5.3). */

/** Milliseconds that a slice may take before others run. */
const SLICE_MS = 4;

type Job = {
  readonly steps: Generator<void, unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/** Runs generators one slice per turn of the event loop, round robin. */
export class Slicer {
  readonly #jobs: Job[] = [];
  #scheduled = false;

  /** Runs `steps` to its end; resolves with what it returns, rejects with what it throws. */
  run<T>(steps: Generator<void, T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({ steps, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    this.#scheduled = false;
    const end = performance.now() + SLICE_MS;
    while (this.#jobs.length > 0 && performance.now() < end) {
      const job = this.#jobs.shift() as Job;
      if (this.#advance(job, end)) this.#jobs.push(job);
    }
    if (this.#jobs.length > 0) this.#schedule();
  }

  /** Advances a job until it ends or the time is up; true when there is more to do. */
  #advance(job: Job, end: number): boolean {
    try {
      do {
        const step = job.steps.next();
        if (step.done) {
          job.resolve(step.value);
          return false;
        }
      } while (performance.now() < end);
      return true;
    } catch (error) {
      job.reject(error);
      return false;
    }
  }
}
