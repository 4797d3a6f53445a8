/**
 * The user listener: people, `svcctl`, browsers (spec/security §1.3). Probes, management API, the page behind
 * invitations.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import helmet from "helmet";
import { MIRROR_OPERATIONS } from "../api/management/mirrors/mirror-operations.ts";
import { type ManagementOptions, managementRoutes } from "../api/management/operations.ts";
import { MANAGEMENT_OPERATIONS } from "../api/resources/operations.ts";
import { decodeSegment } from "../api/rest/operation.ts";
import { type StsOptions, stsRoutes } from "../api/sts/sts-routes.ts";
import { Admission } from "../http/admission.ts";
import { nothingHere } from "../http/errors.ts";
import type { HttpLimits } from "../http/limits.ts";
import { openApiRoute } from "../http/openapi/openapi-route.ts";
import {
  firstSegments,
  folderRoute,
  isForPage,
  type PageFolder,
  type PageSite,
} from "../http/pages/page-folders.ts";
import type { HttpCounters, HttpLog, RequestTraces, Revisions } from "../http/ports.ts";
import { type MountedRoute, mount, OPEN_API } from "../http/route.ts";
import { type RouterOptions, routed } from "../http/router.ts";
import type { ListenerPlaces } from "../http/server/connection-places.ts";
import {
  createManagedServer,
  type ManagedServer,
  type TlsMaterial,
} from "../http/server/server-lifecycle.ts";
import { type Health, healthRoutes } from "./health.ts";
import { userDocument } from "./user-document.ts";

/** Options of {@link createUserListener}. */
interface UserListenerOptions {
  readonly limits: HttpLimits;
  /** `authorizer.http_shortcuts`; default true. */
  readonly shortcuts?: boolean;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters;
  /** Absent: connections are not bounded. */
  readonly places?: ListenerPlaces;
  readonly tls?: TlsMaterial;
  /** The revisions that answers name; absent: they name none. */
  readonly revisions?: Revisions;
  /** Traces of requests; undefined: none. */
  readonly traces?: RequestTraces | undefined;
  /** The management API and its document; absent: not served. */
  readonly management?: ManagementOptions;
  /** The security token service; absent: not served. */
  readonly sts?: StsOptions | undefined;
  /** Folders of pages, and pages that programs make; absent: none are served. */
  readonly pages?: readonly (PageFolder | PageSite)[];
}

/** First segments of paths that belong to APIs, of this listener or the other one: there is no page below them. */
const API_SEGMENTS = [
  "api",
  "access",
  "authentication",
  "forward-auth",
  "scim",
  "service",
  "sts",
  "metrics",
  ".well-known",
];

/** Below it, data servers have their API, too. */
const API = "/api/v1/";
const NO_DATA =
  "svc-authorizer has nothing at this path: it knows users, groups, policies and decisions; ask the data server about " +
  "repositories, branches and objects";
/** Below it, mirrors have theirs. */
const REPLICATION = "/service/replication/";
const NO_MIRRORS = "this service has no mirrors: authorizer.mirroring.regions is not set";

/** Builds the listener; it does not listen yet. */
export function createUserListener(options: UserListenerOptions): ManagedServer {
  const { limits, log, counters, management } = options;
  const headers = securityHeaders(options.tls !== undefined);
  const open = mount(OPEN_API, healthRoutes(options.health), counters);
  const api =
    management === undefined
      ? []
      : [
          ...managementRoutes(operationsOf(management), management, counters),
          ...mount(OPEN_API, [openApiRoute(() => userDocument(management.version))], counters),
          ...(options.sts === undefined ? [] : stsRoutes(options.sts, counters)),
        ];
  return createManagedServer({
    admission: new Admission(limits, counters),
    counters,
    limits,
    ...(options.shortcuts === undefined ? {} : { shortcuts: options.shortcuts }),
    log,
    places: options.places,
    revisions: options.revisions,
    traces: options.traces,
    answerHeaders: () => headers,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    handler: routed({
      routes: [...open, ...api],
      decode: decodeSegment,
      ...otherwise(options.pages ?? [], [...open, ...api], counters),
      ...(management !== undefined && { nothing: (target) => nothingBelow(target, management) }),
    }),
  });
}

/** The operations that are served. */
function operationsOf({ mirrors }: ManagementOptions) {
  return mirrors === undefined ? MANAGEMENT_OPERATIONS : [...MANAGEMENT_OPERATIONS, ...MIRROR_OPERATIONS];
}

/** The error of a path that nothing serves. Calls of a data server come here where the two addresses are mixed up. */
function nothingBelow(target: string, { mirrors }: ManagementOptions): AuthorizerError {
  if (mirrors === undefined && target.startsWith(REPLICATION))
    return new AuthorizerError("not_found", NO_MIRRORS);
  return target.startsWith(API) ? new AuthorizerError("not_found", NO_DATA) : nothingHere();
}

/** Returns what answers the paths that no API has. */
function otherwise(
  folders: readonly (PageFolder | PageSite)[],
  routes: readonly MountedRoute[],
  counters: HttpCounters,
): Pick<RouterOptions, "otherwise"> {
  if (folders.length === 0) return {};
  const [pages] = mount(OPEN_API, [folderRoute(folders)], counters);
  const reserved = new Set([...API_SEGMENTS, ...firstSegments(routes)]);
  return { otherwise: (method, target) => (isForPage(method, target, reserved) ? pages : undefined) };
}

/**
 * Headers of every answer, for browsers (spec/security §6). There are none for other origins: CORS is off. A page brings
 * a policy of its own, which replaces this one.
 */
function securityHeaders(tls: boolean): readonly string[] {
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: tls,
    xFrameOptions: { action: "deny" },
    // Every listener answers with it.
    xContentTypeOptions: false,
  });
  // No header depends on the request, so they are made once.
  const headers: string[] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader() {},
  };
  set({} as never, response as never, () => {});
  return headers;
}
