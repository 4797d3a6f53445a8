/** `/healthz` and `/readyz`: open on every listener, without token (security.md §2.0). */

import { Router } from "express";
import { errorBody } from "../http/errors.ts";
import { counted, methodNotAllowed } from "../http/unrouted.ts";
import type { HttpCounters } from "../observe/http-counters.ts";

/** Where the service is in its life. */
export type ServiceState = "starting" | "ready" | "stopping";

const REMEMBERED_MS = 1000;
const CHECK_MS = 5000;

/** Options of {@link Health}. */
export interface HealthOptions {
  /** Rejects when the store does not work. Its answer is kept for a second. */
  readonly checkStore: () => Promise<void>;
}

/** What the probes answer from. */
export class Health {
  /** Set by whoever starts and stops the service. */
  state: ServiceState = "starting";
  readonly #checkStore: () => Promise<void>;
  #checked: Promise<boolean> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HealthOptions) {
    this.#checkStore = options.checkStore;
  }

  /** Why the service is not ready; empty when it is. */
  async reasons(): Promise<readonly string[]> {
    if (this.state !== "ready") return [this.state];
    const works = await this.#storeWorks();
    // The state may have changed while the store was asked.
    if (this.state !== "ready") return [this.state];
    return works ? [] : ["store unavailable"];
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

/** The routes of the probes. */
export function healthRoutes(health: Health, counters: HttpCounters): Router {
  const routes = Router({ strict: true, caseSensitive: true });
  routes
    .route("/healthz")
    .get(counted(counters, "GET", "/healthz"), (_request, response) => {
      response.json({ status: "ok" });
    })
    .all(counted(counters), methodNotAllowed(["GET", "HEAD"]));
  routes
    .route("/readyz")
    .get(counted(counters, "GET", "/readyz"), async (_request, response) => {
      const reasons = await health.reasons();
      response.setHeader("Cache-Control", "no-store");
      if (reasons.length === 0) response.json({ status: "ready" });
      else response.status(503).json({ ...JSON.parse(errorBody("not ready")), reasons });
    })
    .all(counted(counters), methodNotAllowed(["GET", "HEAD"]));
  return routes;
}
