/** The service listener: the APIs that servers, gateways and services call (spec/security §1.3). */

import {
  type AuthenticationOptions,
  authenticationRoutes,
} from "../api/authentication/authentication-routes.ts";
import { type ChangeOptions, openChangeRoutes } from "../api/changes/routes.ts";
import { type DataServerOptions, mountDataServer } from "../api/data-server/declaration.ts";
import { decisionRoutes } from "../api/decisions/declaration.ts";
import type { DecisionLimits } from "../api/decisions/limits.ts";
import type { DecisionMeters } from "../api/decisions/ports.ts";
import { DECISION_ROUTES } from "../api/decisions/routes.ts";
import { PageTokens } from "../api/decisions/search/page-tokens.ts";
import { type ForwardAuthOptions, forwardAuthClaim } from "../api/forward-auth/forward-auth.ts";
import { DATA_SERVER_OPERATIONS } from "../api/resources/operations.ts";
import { decodeSegment } from "../api/rest/operation.ts";
import { mountScim, type ScimOptions, scimNothing } from "../api/scim/mount.ts";
import type { ServiceCaller } from "../api/service-caller.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { Admission } from "../http/admission.ts";
import { openApiRoute } from "../http/openapi/openapi-route.ts";
import type { HttpCounters, HttpLog, RequestTraces, Revisions } from "../http/ports.ts";
import {
  type Authenticate,
  type MountedRoute,
  mount,
  OPEN_API,
  type RawCall,
  type Route,
} from "../http/route.ts";
import { routed } from "../http/router.ts";
import type { ListenerPlaces } from "../http/server/connection-places.ts";
import {
  createManagedServer,
  type ManagedServer,
  type TlsMaterial,
} from "../http/server/server-lifecycle.ts";
import { type BearerOptions, BearerVerifier } from "./bearer.ts";
import { type Health, healthRoutes } from "./health.ts";
import { metadataRoute, pdpUrl } from "./metadata.ts";
import { serviceDocument } from "./service-document.ts";

/** Options of {@link createServiceListener}. */
export interface ServiceListenerOptions {
  /** Version of the package. */
  readonly version: string;
  readonly decisions: Decisions;
  readonly bearer: BearerOptions;
  readonly limits: DecisionLimits;
  /** `authorizer.http_shortcuts`; default true. */
  readonly shortcuts?: boolean;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters & DecisionMeters;
  /** Absent: connections are not bounded. */
  readonly places?: ListenerPlaces;
  /** Keys of page tokens, the first of which seals; default one that ends with the process. */
  readonly pageTokenKeys?: readonly Buffer[];
  readonly tls?: TlsMaterial;
  /** The revisions that answers name; absent: they name none. */
  readonly revisions?: Revisions;
  /** Traces of requests; undefined: none. */
  readonly traces?: RequestTraces | undefined;
  /** The source of this PDP's URL in the AuthZEN metadata; absent: there are none. */
  readonly metadata?: {
    /** `authorizer.public_url`. */
    readonly publicUrl?: string | undefined;
    /** Only this machine reaches the listener, so that its own address may be told. */
    readonly loopback: boolean;
  };
  /** Host names of the S3 gateway (`gateways.s3.domain_name`); default none. */
  readonly s3Domains?: readonly string[];
  /** `/forward-auth`; absent: not served. */
  readonly forwardAuth?: ForwardAuthOptions;
  /** The data-server API; absent: not served. */
  readonly dataServer?: DataServerOptions;
  /** The API of changes; absent: not served. */
  readonly changes?: ChangeOptions;
  /** The authentication API for a data server; absent: not served. */
  readonly authentication?: AuthenticationOptions | undefined;
  /** SCIM 2.0; absent: not served. */
  readonly scim?: Omit<ScimOptions, "publicUrl">;
}

/** The listener. */
export interface ServiceListener extends ManagedServer {
  /** Takes other tokens from now on; throws "invalid_request" and keeps the old ones when they are faulty. */
  replaceTokens(bearer: BearerOptions): void;
}

/** Builds the listener; it does not listen yet. */
export function createServiceListener(options: ServiceListenerOptions): ServiceListener {
  const { limits, log, counters } = options;
  const verifier = { current: new BearerVerifier(options.bearer) };
  const authenticate = ({ request }: RawCall) => verifier.current.verify(request);
  const admission = new Admission(limits, counters);
  const changes = options.changes && openChangeRoutes(options.changes);
  const life: { managed?: ManagedServer } = {};
  const routes = [
    ...decisionApi(options, admission, authenticate),
    ...dataServerApi(options, authenticate),
    ...(options.authentication === undefined ? [] : authenticationRoutes(options.authentication, counters)),
    ...mount({ authenticate }, changes?.routes ?? [], counters),
    ...scimApi(options, authenticate, () => life.managed?.url()),
    ...mount(
      OPEN_API,
      openRoutes(options, () => life.managed?.url()),
      counters,
    ),
  ];
  const claim =
    options.forwardAuth === undefined
      ? () => undefined
      : forwardAuthClaim(options.forwardAuth, { counters, log });
  const nothing = options.scim && scimNothing(counters);
  const managed = createManagedServer({
    admission,
    counters,
    limits,
    ...(options.shortcuts === undefined ? {} : { shortcuts: options.shortcuts }),
    log,
    places: options.places,
    revisions: options.revisions,
    traces: options.traces,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    handler: routed({
      routes,
      decode: decodeSegment,
      claim,
      otherwise: (_method, target) => nothing?.(target),
    }),
  });
  life.managed = managed;
  return {
    ...managed,
    replaceTokens: (bearer) => {
      verifier.current = new BearerVerifier(bearer);
      // The token of a stream may be one that is gone.
      changes?.disconnect();
    },
    close: () => {
      changes?.close();
      return managed.close();
    },
  };
}

type ServiceAuthentication = Authenticate<ServiceCaller>;

function decisionApi(
  options: ServiceListenerOptions,
  admission: Admission,
  authenticate: ServiceAuthentication,
): readonly MountedRoute[] {
  const { decisions, limits, counters, log, s3Domains = [] } = options;
  const tokens = new PageTokens(options.pageTokenKeys);
  const parts = { decisions, limits, counters, log, admission, authenticate, tokens, s3Domains };
  const routes = decisionRoutes(DECISION_ROUTES, parts);
  return mount({ authenticate }, routes, counters);
}

function dataServerApi(
  { dataServer, decisions, limits, counters }: ServiceListenerOptions,
  authenticate: ServiceAuthentication,
): readonly MountedRoute[] {
  if (dataServer === undefined) return [];
  const options = { ...dataServer, decisions };
  return mountDataServer(DATA_SERVER_OPERATIONS, options, { authenticate, limits, counters });
}

function scimApi(
  { scim, metadata = { loopback: false }, limits, counters }: ServiceListenerOptions,
  authenticate: ServiceAuthentication,
  ownUrl: () => string | undefined,
): readonly MountedRoute[] {
  if (scim === undefined) return [];
  const { publicUrl, loopback } = metadata;
  const url = () => pdpUrl({ publicUrl, ownUrl: loopback ? ownUrl : () => undefined });
  return mountScim({ ...scim, publicUrl: url }, { authenticate, limits, counters });
}

function openRoutes(
  { health, version, metadata = { loopback: false } }: ServiceListenerOptions,
  ownUrl: () => string | undefined,
): readonly Route[] {
  const { publicUrl, loopback } = metadata;
  return [
    ...healthRoutes(health),
    openApiRoute(() => serviceDocument(version)),
    metadataRoute({ publicUrl, ownUrl: loopback ? ownUrl : () => undefined }),
  ];
}
