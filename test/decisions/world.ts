/** A real directory in memory with the decisions over it. */
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { DecisionRecord, Decisions } from "../../src/decisions/decisions.ts";
import { type DecisionsOptions, openDecisions } from "../../src/decisions/open-decisions.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import {
  createStoreCounters,
  observeStore,
  type StoreCounters,
} from "../../src/observe/metrics/store-metrics.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";

export interface World {
  directory: OpenedDirectory;
  decisions: Decisions;
  store: StoreCounters;
  audited: DecisionRecord[];
  /** Grants an action on everything by a policy of that name. */
  grant(name: string, action: string): Promise<void>;
  allows(user: string, action?: string): Promise<boolean>;
  close(): Promise<void>;
}

export const CACHE = { enabled: true, size: 1024, ttl: 20_000, jitter: 3000 };

export async function openWorld(
  options: Partial<DecisionsOptions> = {},
  bare: Store = openMemoryStore(),
  guards: "strict" | "lenient" = "strict",
  asSeen: (directory: OpenedDirectory) => OpenedDirectory = (directory) => directory,
): Promise<World> {
  const catalog = await openCatalog({ partition: "svc" });
  const counters = createStoreCounters();
  const store = observeStore(bare, counters);
  const directory = await openDirectoryOn(store, { guards });
  const audited: DecisionRecord[] = [];
  const decisions = await openDecisions({
    directory: asSeen(directory),
    catalog,
    endpoints: openEndpoints(catalog),
    cache: CACHE,
    audit: { decisions: "none", decision: (record) => void audited.push(record) },
    requestProperties: "fill",
    ...options,
  });
  return {
    directory,
    decisions,
    store: counters,
    audited,
    grant: async (name, action) => {
      await directory.policies.create({
        name,
        statement: [{ effect: "allow", action: [action], resource: "*" }],
      });
    },
    allows: async (user, action = "fs:ReadObject") => {
      const answer = await decisions.check({
        user,
        required: { action, resource: "arn:svc:fs:::repository/r/object/o" },
        context: new Map(),
        explain: false,
        entrance: "check",
        requestId: "",
      });
      return answer.effect === "allow";
    },
    close: async () => {
      await decisions.close();
      await directory.close();
      await store.close();
    },
  };
}
