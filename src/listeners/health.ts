/** `/healthz` and `/readyz`: open on every listener, without token (spec/security §2.0). */

import type { Reply, Route } from "../http/route.ts";

/** A state in the life of the service. */
type ServiceState = "starting" | "ready" | "stopping";

const REMEMBERED_MS = 1000;
const CHECK_MS = 5000;

/** Options of {@link Health}. */
interface HealthOptions {
  /** Rejects when the store does not work. Its answer is kept for a second. */
  readonly checkStore: () => Promise<void>;
  /** Says what is wrong with the database; undefined: nothing. */
  readonly trouble?: () => string | undefined;
}

/** The state that the probes answer from. */
export class Health {
  /** Set by whoever starts and stops the service. */
  state: ServiceState = "starting";
  readonly #checkStore: () => Promise<void>;
  readonly #trouble: () => string | undefined;
  #checked: Promise<boolean> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HealthOptions) {
    this.#checkStore = options.checkStore;
    this.#trouble = options.trouble ?? (() => undefined);
  }

  /** Returns why the service is not ready; empty when it is. */
  async reasons(): Promise<readonly string[]> {
    if (this.state !== "ready") return [this.state];
    const works = await this.#storeWorks();
    // The state may have changed while the store was asked.
    if (this.state !== "ready") return [this.state];
    return works ? [] : [this.#trouble() ?? "store unavailable"];
  }

  /** Says what is wrong with the database, also while the service is ready; undefined: nothing. */
  trouble(): string | undefined {
    return this.#trouble();
  }

  #storeWorks(): Promise<boolean> {
    const now = performance.now();
    if (this.#checked === undefined || now - this.#checkedAt >= REMEMBERED_MS) {
      this.#checkedAt = now;
      this.#checked = withinTime(this.#checkStore);
    }
    return this.#checked;
  }
}

async function withinTime(check: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_MS).unref();
  });
  try {
    return await Promise.race([check().then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Another query changes nothing: a probe is never refused for it. */
const VERBOSE = /(?:^|&)verbose(?:=|&|$)/;

/** The routes of the probes. */
export function healthRoutes(health: Health): readonly Route[] {
  const get = { method: "GET", head: true } as const;
  return [
    { ...get, path: "/healthz", handle: () => '{"status":"ok"}' },
    { ...get, path: "/readyz", handle: ({ queryText }) => readiness(health, VERBOSE.test(queryText)) },
  ];
}

async function readiness(health: Health, verbose: boolean): Promise<Reply> {
  const reasons = await health.reasons();
  const database = verbose ? health.trouble() : undefined;
  const ready = { status: "ready", ...(database !== undefined && { database }) };
  const [status, body] = reasons.length === 0 ? [200, ready] : [503, { message: "not ready", reasons }];
  return { status, body: JSON.stringify(body), headers: ["Cache-Control", "no-store"] };
}
