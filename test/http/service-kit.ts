/** The real service listener over the real decisions, with a few users, and ways to call it. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { DecisionLimits } from "../../src/api/decisions/limits.ts";
import type { Decisions } from "../../src/decisions/decisions.ts";
import { openDecisions } from "../../src/decisions/open-decisions.ts";
import type { Directory, NewPolicy } from "../../src/directory/directory.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import type { FailureLogEntry, HttpLog, RefusedCaller, RequestLogEntry } from "../../src/http/ports.ts";
import type { TlsMaterial } from "../../src/http/server/server-lifecycle.ts";
import { CommitNotes, openRevisions, type StoreRevisions } from "../../src/journal/revisions.ts";
import type { BearerOptions } from "../../src/listeners/bearer.ts";
import { Health } from "../../src/listeners/health.ts";
import {
  createServiceListener,
  type ServiceListener,
  type ServiceListenerOptions,
} from "../../src/listeners/service.ts";
import {
  createHttpCounters,
  type ReadableHttpCounters,
} from "../../src/observe/metrics/create-http-counters.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import type { Store } from "../../src/store/port.ts";
import { documentedAnswer } from "../api/openapi/validate-response.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";
import { type Answer, call } from "./call.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";

/** Alice reads everything below `data` but secrets; bob reads everything from the office; carol may do nothing. */
const POLICIES: readonly (NewPolicy & { readonly of: string })[] = [
  {
    name: "Reads",
    of: "alice",
    statement: [
      { effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/data*" },
      { effect: "allow", action: ["fs:ReadRepository"], resource: "arn:svc:fs:::repository/open" },
    ],
  },
  {
    name: "NoSecrets",
    of: "alice",
    statement: [
      { effect: "deny", action: ["fs:*"], resource: "arn:svc:fs:::repository/data/object/secret*" },
    ],
  },
  {
    name: "Office",
    of: "bob",
    statement: [
      {
        effect: "allow",
        action: ["fs:ReadObject"],
        resource: "*",
        condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
      },
    ],
  },
];

/** Options in which a test differs from the default. */
export interface ServiceOptions {
  readonly limits?: Partial<DecisionLimits>;
  readonly bearer?: BearerOptions;
  readonly logRequests?: boolean;
  readonly tls?: TlsMaterial;
  /** Host names of the S3 gateway. */
  readonly s3Domains?: readonly string[];
  readonly pageTokenKeys?: readonly Buffer[];
  /** Puts something between the listener and the decisions. */
  readonly around?: (decisions: Decisions) => Decisions;
  /** False: the directory has no users and policies. */
  readonly filled?: boolean;
  /** Further options of the listener, such as other APIs, made from its parts. */
  readonly more?: (parts: ServiceParts) => Partial<ServiceListenerOptions>;
}

/** The parts behind a listener. */
interface ServiceParts {
  readonly store: Store;
  readonly directory: OpenedDirectory;
  readonly catalog: Catalog;
  readonly decisions: Decisions;
  readonly revisions: StoreRevisions;
}

/** A log that remembers. */
export class MemoryLog implements HttpLog {
  readonly requests: boolean;
  readonly answered: RequestLogEntry[] = [];
  readonly failures: FailureLogEntry[] = [];
  readonly refusals: RefusedCaller[] = [];

  constructor(requests: boolean) {
    this.requests = requests;
  }

  request(entry: RequestLogEntry): void {
    this.answered.push(entry);
  }

  failure(entry: FailureLogEntry): void {
    this.failures.push(entry);
  }

  refused(entry: RefusedCaller): void {
    this.refusals.push(entry);
  }
}

/** A running listener with what is behind it. */
export interface TestService extends ServiceParts {
  readonly url: string;
  /** A token with all scopes, where the test gave no others. */
  readonly token: string;
  readonly listener: ServiceListener;
  readonly health: Health;
  readonly log: MemoryLog;
  readonly counters: ReadableHttpCounters;
  close(): Promise<void>;
}

/** A token with all scopes. */
export const API_TOKEN = "a-token-of-the-data-server-for-tests-only";

/** The version of the package that the listener is given. */
export const VERSION = "1.2.3-test";

/** Starts a listener on a free port. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { store, directory, catalog, close } = await openTestDirectory();
  if (options.filled !== false) await fill(directory);
  const decisions = await openDecisions({
    directory,
    catalog,
    endpoints: openEndpoints(catalog),
    cache: { enabled: true, size: 100, ttl: 60_000, jitter: 0 },
    audit: { decisions: "none", decision() {} },
    requestProperties: "fill",
  });
  const revisions = await openRevisions({ store, notes: new CommitNotes() });
  const parts: ServiceParts = { store, directory, catalog, decisions, revisions };
  const health = new Health({ checkStore: () => directory.health() });
  const log = new MemoryLog(options.logRequests ?? false);
  const counters = createHttpCounters();
  const listener = createServiceListener({
    version: VERSION,
    decisions: options.around?.(decisions) ?? decisions,
    s3Domains: options.s3Domains ?? [],
    bearer: options.bearer ?? { apiToken: API_TOKEN },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    health,
    log,
    counters,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.pageTokenKeys === undefined ? {} : { pageTokenKeys: options.pageTokenKeys }),
    ...options.more?.(parts),
  });
  const url = await listener.listen({ host: "127.0.0.1", port: 0 });
  health.state = "ready";
  return {
    url,
    token: API_TOKEN,
    listener,
    ...parts,
    health,
    log,
    counters,
    close: async () => {
      await listener.close();
      await decisions.close();
      revisions.close();
      await close();
    },
  };
}

async function fill(directory: Directory): Promise<void> {
  for (const username of ["alice", "bob", "carol"]) await directory.users.create({ username });
  for (const { of, ...policy } of POLICIES) {
    await directory.policies.create(policy);
    await directory.users.attachPolicy(of, policy.name);
  }
}

/** Posts a JSON value, or a body as it is; the answer must be one that the OpenAPI document has. */
export async function post(
  service: { readonly url: string; readonly token: string },
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = { body, headers: { authorization: `Bearer ${service.token}`, ...headers } };
  return documentedAnswer("POST", path, await call(service.url, "POST", path, sent));
}

/** Writes bytes to a listener and gives all that comes back until it closes, or until `until` is in it. */
export function raw(url: string, bytes: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connectTo(url);
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.on("data", (piece) => {
      received += piece.toString("latin1");
      if (until?.test(received)) {
        socket.destroy();
        resolve(received);
      }
    });
    socket.write(bytes);
  });
}

/** A connection to a listener. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** The text of a request with a body, to be written to a socket. */
export function requestText(
  service: { readonly token: string },
  path: string,
  body: string,
  headers: readonly string[] = [],
): string {
  return [
    `POST ${path} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${service.token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    "",
    body,
  ].join("\r\n");
}

/** Everything that a connection receives until it is closed. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  await once(socket, "close");
  return text;
}
