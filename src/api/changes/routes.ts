/** The API of changes (spec/journal §6.4, spec/journal §6.5): what it serves, and how its streams begin. */

import type { ServerResponse } from "node:http";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Described } from "../../http/openapi/document.ts";
import type { Parameter, Schemas } from "../../http/openapi/openapi-types.ts";
import { Places } from "../../http/places.ts";
import { type Answer, type RawCall, type Route, WRITTEN } from "../../http/route.ts";
import { listOf, object, schemaRef, text } from "../../http/schema/schema-forms.ts";
import { requireScope, type Scope, type ServiceCaller } from "../service-caller.ts";
import type { ChangeLog, DecisionSettings, ReplicaRecords } from "./ports.ts";
import { REPLICA_SETTINGS, type ReplicaSettings, ReplicaStream } from "./replica-stream.ts";
import { type NamedStart, startingPoint } from "./starting-point.ts";
import { WATCH_LIMITS, Watchers, type WatchLimits } from "./watchers.ts";

/** Options of {@link openChangeRoutes}. */
export interface ChangeOptions {
  readonly log: ChangeLog;
  readonly records: ReplicaRecords;
  readonly decisions: DecisionSettings;
  /** Default {@link WATCH_LIMITS}. */
  readonly watch?: WatchLimits;
  /** Default {@link REPLICA_SETTINGS}. */
  readonly replica?: ReplicaSettings;
  /** Most replicas that are sent at once, half of them to one caller; default 100. */
  readonly replicas?: number;
}

/** The routes, and the end of their streams. */
interface ChangeRoutes {
  readonly routes: readonly Route<ServiceCaller>[];
  /** Ends all streams; readers come again, and are authenticated again. */
  disconnect(): void;
  /** Ends all streams for good. */
  close(): void;
}

interface ChangeDeclaration extends Described {
  readonly scope: Scope;
}

const MOST_REPLICAS = 100;

const POSITION: Parameter = {
  name: "position",
  in: "query",
  description: "`N.LOG.ENTRY`: what follows this entry.",
  schema: { type: "string", pattern: "^[0-9]{1,15}(\\.[A-Za-z0-9_-]{8}){2}$" },
  example: "4711.h7Gc2xQa.Zk3vT0bR",
};

const AFTER: Parameter = {
  name: "after",
  in: "query",
  description:
    "`N` or `N.LOG`, as clients of version 0.2 send it. It does not say which entry N is, so that everything is to be read anew, unless N is 0. `position` goes before it.",
  schema: { type: "string", pattern: "^[0-9]{1,15}(\\.[A-Za-z0-9_-]{8})?$" },
  example: "4711.h7Gc2xQa",
};

const LAST_EVENT_ID: Parameter = {
  name: "Last-Event-ID",
  in: "header",
  description: "The id of the last event that was received; it goes before `position` and `after`.",
  schema: { type: "string" },
};

/** Declaration of `GET /api/v1/watch`. */
const WATCH: ChangeDeclaration = {
  id: "watchChanges",
  method: "GET",
  path: "/api/v1/watch",
  tag: "changes",
  scope: "read",
  summary: "Which users, groups, policies and resources change",
  description: [
    "Server-sent events: `{revision, id, at, change}` for each entry of the log, with the names that it touched;",
    "`revision` with the newest entry every 5 seconds, and first of all with the given entry; `reset` where what follows the",
    "given entry is not to be had, or where the log has lost entries: everything is to be read anew, as of the entry named.",
    "A reader that is 1 MiB behind is disconnected.",
  ].join(" "),
  query: [POSITION, AFTER, LAST_EVENT_ID],
  answer: {
    status: 200,
    description: "The events.",
    type: "text/event-stream",
    schema: { type: "string" },
    example:
      'id: 4712.h7Gc2xQa.9PdWm1sY\ndata: {"revision":4712,"id":"9PdWm1sY","at":"2026-11-22T08:00:00.000Z","change":{"users":["alice"]}}\n\n',
  },
  errors: [400],
};

/** Declaration of `GET /api/v1/replica`. */
const REPLICA: ChangeDeclaration = {
  id: "sendReplica",
  method: "GET",
  path: "/api/v1/replica",
  tag: "changes",
  scope: "replicate",
  summary: "What decisions depend on, and how it changes",
  description: [
    "Lines of JSON for decision points in other processes: a checkpoint (left out where the given entry is in the log and",
    "what follows it is kept), then entries as they are committed; a checkpoint again where the log has lost an entry that",
    "was sent. A block begins with a line `checkpoint` or `entry` and holds with its line `complete`, which names its log,",
    "revision and entry; the lines between are records `[partition, key, fields]` and removals `[partition, key]`. The",
    "newest entry comes every 5 seconds. No secret is sent.",
  ].join(" "),
  query: [POSITION, AFTER],
  answer: {
    status: 200,
    description: "The lines.",
    type: "application/x-ndjson",
    schema: { type: "string" },
    lines: {
      schema: { type: "string" },
      example: [
        '{"type":"checkpoint","log":"h7Gc2xQa"}',
        '["user","alice",{"id":"01KAMQ3Z0T8W0000000000AAAA"}]',
        '{"type":"complete","log":"h7Gc2xQa","revision":4712,"id":"9PdWm1sY","records":1}',
        '{"type":"revision","revision":4712,"id":"9PdWm1sY","age_ms":0,"settings":{"partition":"svc","request_properties":"fill","policies_per_user":10000}}',
        "",
      ].join("\n"),
      "x-itemSchema": schemaRef("ReplicaLine"),
    },
  },
  errors: [400],
};

/** The declarations. */
export const CHANGE_ROUTES: readonly ChangeDeclaration[] = [WATCH, REPLICA];

const IDS = listOf({ type: "string" });
const REVISION = { type: "integer", minimum: 0 } as const;
const LOG = text("The first 8 characters of the id of the log.");
const ENTRY = text("The first 8 characters of the id of the entry of this revision.");

/** Schemas of the lines. */
export const CHANGE_SCHEMAS: Schemas = {
  ReplicaLine: {
    description: "A line of a replica.",
    anyOf: [
      object({ type: { const: "checkpoint" }, log: LOG }),
      object({
        type: { const: "entry" },
        revision: REVISION,
        id: ENTRY,
        at: text("Time of the commit, RFC 3339."),
        change: object(
          {
            users: IDS,
            groups: IDS,
            policies: IDS,
            resources: { type: "boolean", description: "Resource types or registered resources changed." },
            all: { type: "boolean", description: "Anything may have changed." },
          },
          [],
        ),
      }),
      object({ type: { const: "complete" }, log: LOG, revision: REVISION, id: ENTRY, records: REVISION }),
      object({
        type: { const: "revision" },
        revision: REVISION,
        id: ENTRY,
        age_ms: {
          type: "integer",
          minimum: 0,
          description: "Milliseconds since the service knew that this is the newest revision.",
        },
        settings: object({
          partition: text("`authorizer.partition`."),
          request_properties: { enum: ["fill", "override"] },
          policies_per_user: { type: "integer", minimum: 1 },
        }),
      }),
      {
        type: "array",
        description: "A record: partition, key, fields; without fields it is removed.",
        items: {},
        minItems: 2,
        maxItems: 3,
      },
    ],
  },
};

/**
 * Ends a stream when the token that opened it is over: the reader comes again with another one. A timer does not hear that the
 * clock is set, so that it is looked at again and again.
 * @returns what ends the looking
 */
function endWithToken({ caller, response }: RawCall<ServiceCaller>, everyMs: number): () => void {
  const { until } = caller;
  if (until === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(look, Math.min(Math.max(0, until - Date.now()), everyMs)).unref();
  };
  const look = (): void => {
    if (Date.now() < until) wait();
    else response.end();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Opens the routes. */
export function openChangeRoutes(options: ChangeOptions): ChangeRoutes {
  const { log, records, decisions, replica = REPLICA_SETTINGS, replicas = MOST_REPLICAS } = options;
  const limits = options.watch ?? WATCH_LIMITS;
  const watchers = new Watchers(log, limits);
  const watching = new Places(limits.readers, "too many readers watch");
  const replicating = new Places(replicas, "too many replicas are sent");
  const sending = new Set<ServerResponse>();
  const watch = async (call: RawCall<ServiceCaller>): Promise<Answer> => {
    const id = call.request.headers["last-event-id"];
    const lastEvent = typeof id === "string" ? id : undefined;
    const from = await startingPoint({ lastEvent, ...namedIn(call) }, log);
    const leave = watching.take(call.caller.name);
    const stopLooking = endWithToken(call, limits.beatMs);
    try {
      call.deadline = Number.POSITIVE_INFINITY;
      begin(call, "text/event-stream");
      await watchers.serve(call.response, from);
    } finally {
      stopLooking();
      leave();
    }
    return WRITTEN;
  };
  const send = async (call: RawCall<ServiceCaller>): Promise<Answer> => {
    const from = await startingPoint(namedIn(call), log);
    const leave = replicating.take(call.caller.name);
    const { response } = call;
    sending.add(response);
    const stopLooking = endWithToken(call, replica.beatMs);
    try {
      begin(call, "application/x-ndjson");
      await new ReplicaStream({ log, records, decisions, settings: replica }, call as RawCall<never>).run(
        from,
      );
    } finally {
      stopLooking();
      sending.delete(response);
      leave();
    }
    return WRITTEN;
  };
  const disconnect = (): void => {
    watchers.disconnect();
    for (const response of sending) response.end();
  };
  return {
    routes: [routeOf(WATCH, watch), routeOf(REPLICA, send)],
    disconnect,
    close: () => {
      watchers.close();
      disconnect();
    },
  };
}

const PLACES: ReadonlySet<string> = new Set([POSITION.name, AFTER.name]);

/** Throws "invalid_request" for another parameter: a misspelt position would begin with the newest entry. */
function namedIn({ query }: RawCall<ServiceCaller>): NamedStart {
  if (!query.hasOnly(PLACES))
    throw new AuthorizerError("invalid_request", "the query may have position and after, and nothing else");
  return { position: query.get("position"), after: query.get("after") };
}

function routeOf(
  { method, path, scope }: ChangeDeclaration,
  handle: Route<ServiceCaller>["handle"],
): Route<ServiceCaller> {
  return { method, path, authorize: ({ caller }) => requireScope(caller, scope), handle };
}

/** Writes the head. Proxies must not gather a stream, nor caches keep it. */
function begin(call: RawCall<ServiceCaller>, type: string): void {
  call.response.writeHead(200, [
    "Content-Type",
    type,
    "Cache-Control",
    "no-store",
    "X-Accel-Buffering",
    "no",
    ...call.commonHeaders(),
  ]);
  call.response.flushHeaders();
}
