/** The service listener with the data-server API, over a directory that a test may put something around. */

import type { DataServerOptions } from "../../../src/api/data-server/declaration.ts";
import { changeLog } from "../../../src/compose/change-log.ts";
import { openDecisions } from "../../../src/decisions/open-decisions.ts";
import type { Directory } from "../../../src/directory/directory.ts";
import { ReplicaRecords } from "../../../src/directory/read/replica-records.ts";
import { RepeatableSetup } from "../../../src/directory/write/repeatable-setup.ts";
import type { HttpLog } from "../../../src/http/ports.ts";
import { CommitNotes, openRevisions } from "../../../src/journal/revisions.ts";
import type { ListedToken } from "../../../src/listeners/bearer.ts";
import { Health } from "../../../src/listeners/health.ts";
import { createServiceListener } from "../../../src/listeners/service.ts";
import { createHttpCounters, type ReadableHttpCounters } from "../../../src/observe/create-http-counters.ts";
import { openEndpoints } from "../../../src/request-map/open-endpoints.ts";
import { openTestDirectory } from "../../directory/open-test-directory.ts";
import { DEFAULT_LIMITS } from "../../http/default-limits.ts";
import { API_TOKEN, VERSION } from "../../http/service-kit.ts";

/** A log that keeps nothing. */
const SILENT_LOG: HttpLog = {
  requests: false,
  request() {},
  failure() {},
  refused() {},
};

/** Most bytes of a body. */
export const MAX_BYTES = 20_000;

/** Options in which a test differs from the default. */
export interface AuthorizationServiceOptions {
  readonly around?: (directory: Directory) => Directory;
  readonly tokens?: readonly ListedToken[];
}

/** A running listener. */
export interface AuthorizationService {
  readonly url: string;
  /** A token with all scopes. */
  readonly token: string;
  readonly counters: ReadableHttpCounters;
  close(): Promise<void>;
}

/** Starts a listener on a free port, with nothing in its directory. */
export async function startAuthorizationService({
  around = (directory) => directory,
  tokens = [],
}: AuthorizationServiceOptions = {}): Promise<AuthorizationService> {
  const opened = await openTestDirectory();
  const { catalog, close } = opened;
  const directory = around(opened.directory);
  const decisions = await openDecisions({
    directory: opened.directory,
    catalog,
    endpoints: openEndpoints(catalog),
    cache: { enabled: false, size: 1, ttl: 1, jitter: 0 },
    audit: { decisions: "none", decision() {} },
    requestProperties: "fill",
  });
  const dataServer: DataServerOptions = {
    directory,
    setup: new RepeatableSetup(directory, catalog.preconfigured),
    policySet: catalog,
    vocabulary: catalog,
    audit: { event() {} },
    log: { warn() {} },
    version: VERSION,
  };
  const revisions = await openRevisions({ store: opened.store, notes: new CommitNotes() });
  const counters = createHttpCounters();
  const listener = createServiceListener({
    version: VERSION,
    decisions,
    bearer: { apiToken: API_TOKEN, tokens },
    limits: { ...DEFAULT_LIMITS, bodyBytes: MAX_BYTES },
    health: new Health({ checkStore: async () => {} }),
    log: SILENT_LOG,
    counters,
    dataServer,
    changes: {
      log: changeLog({ store: opened.store, revisions, journal: undefined }),
      records: new ReplicaRecords(opened.store),
      decisions: { partition: "svc", request_properties: "fill", policies_per_user: 10_000 },
    },
  });
  return {
    url: await listener.listen({ host: "127.0.0.1", port: 0 }),
    token: API_TOKEN,
    counters,
    close: async () => {
      await listener.close();
      decisions.close();
      revisions.close();
      await close();
    },
  };
}

/** A directory of which every use case fails. */
export function failing(directory: Directory, error: () => Error): Directory {
  const wrapped = (part: object): object =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value === "function") return () => Promise.reject(error());
        return typeof value === "object" && value !== null ? wrapped(value) : value;
      },
    });
  return wrapped(directory) as Directory;
}
