/**
 * The listener of Envoy's external authorization over gRPC (spec/security §2.12). It is loaded only where
 * `authorizer.ext_authz.listen_address` is set.
 */

import { createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import {
  Server as GrpcServer,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { fromJSON, type MessageTypeDefinition, type PackageDefinition } from "@grpc/proto-loader";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DecisionMeters } from "../api/decisions/ports.ts";
import { CHECK_PATH, type ExtAuthzOptions } from "../api/ext-authz/check.ts";
import { firstHeaders } from "../api/ext-authz/header-map.ts";
import {
  AUTHORIZATION,
  type CheckRequest,
  type CheckResponse,
  DEFINITIONS,
  HEADER_MAP,
  HEALTH,
} from "../api/ext-authz/messages.ts";
import { MOST_HEADERS } from "../api/forward-auth/request-headers.ts";
import { Admission } from "../http/admission.ts";
import type { HttpLimits } from "../http/limits.ts";
import { Places } from "../http/places.ts";
import type { HttpCounters, HttpLog, RequestTraces, Revisions } from "../http/ports.ts";
import { acceptOnly, type ListenerPlaces } from "../http/server/connection-places.ts";
import { type ManagedServer, type TlsMaterial, tlsOptions, urlOf } from "../http/server/server-lifecycle.ts";
import { type BearerOptions, BearerVerifier } from "./bearer.ts";
import { addressOf, ExtAuthzCall } from "./ext-authz-call.ts";
import { GrpcConnections } from "./grpc-connections.ts";
import type { Health } from "./health.ts";

/** Options of {@link createExtAuthzListener}. */
interface ExtAuthzListenerOptions {
  readonly extAuthz: ExtAuthzOptions;
  readonly bearer: BearerOptions;
  readonly limits: HttpLimits;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters & DecisionMeters;
  /** Absent: connections are not bounded but by their number. */
  readonly places?: ListenerPlaces;
  readonly tls?: TlsMaterial;
  readonly revisions?: Revisions;
  readonly traces?: RequestTraces | undefined;
}

/** The listener. */
export interface ExtAuthzListener extends Pick<ManagedServer, "listen" | "replaceTls" | "close"> {
  /** Takes other tokens from now on; throws "invalid_request" and keeps the old ones when they are faulty. */
  replaceTokens(bearer: BearerOptions): void;
}

const CLOSE_WITHIN_MS = 10_000;
/** A connection without a call is closed after this time: gRPC's clients then make another. */
const IDLE_MS = 60_000;
/** A peer that does not answer a ping is gone. */
const KEEP_ALIVE_MS = 30_000;
const PING_MS = 10_000;
/** Memory that one connection may hold, with what its peer does not take. */
const SESSION_MIB = 64;
/** Connections that it may have: each holds the state of HTTP/2. */
export const MOST_CONNECTIONS = 1_000;
const WATCH_MS = 1_000;
const SERVING = 1;
const NOT_SERVING = 2;
/** Calls under way on one connection: as many as may come in one turn, each of which takes a tenth of a millisecond. */
const MOST_STREAMS = 256;
const MOST_WATCHERS = 100;
/** Headers that are read. Those of a request, and the pseudo headers that Envoy lists with them, are fewer. */
const MOST_READ = MOST_HEADERS + 20;

/** Builds the listener; it does not listen yet. */
export function createExtAuthzListener(options: ExtAuthzListenerOptions): ExtAuthzListener {
  const { limits, tls } = options;
  const connections = new GrpcConnections({
    trusted: options.extAuthz.trusted,
    places: options.places,
    requestTimeoutMs: limits.requestTimeoutMs,
  });
  const grpc = new GrpcServer({
    interceptors: [connections.callsInTime],
    "grpc.max_receive_message_length": limits.bodyBytes,
    "grpc.max_concurrent_streams": Math.min(limits.queue, MOST_STREAMS),
    "grpc.max_metadata_size": limits.headersBytes,
    "grpc.max_connection_idle_ms": IDLE_MS,
    "grpc.keepalive_time_ms": KEEP_ALIVE_MS,
    "grpc.keepalive_timeout_ms": PING_MS,
    "grpc-node.max_session_memory": SESSION_MIB,
  });
  const verifier = { current: new BearerVerifier(options.bearer) };
  const stopping = addServices(grpc, options, verifier);
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const take = (socket: Socket): void => {
    connections.wait(socket);
    injector.injectConnection(socket);
  };
  // Connections are taken here, so that certificates can be replaced and workers can share the port.
  const sockets =
    tls === undefined
      ? createServer({ noDelay: true }, take)
      : createTlsServer({ ...tlsOptions(tls), noDelay: true, ALPNProtocols: ["h2"] }, take);
  acceptOnly(sockets, connections.admits);
  // Places give way to those who come new; without them, those who come new are refused.
  if (options.places === undefined) sockets.maxConnections = MOST_CONNECTIONS;
  let ended: Promise<void> | undefined;
  return {
    listen: (address) => listen(sockets, address),
    replaceTls: (material) => {
      if (!("setSecureContext" in sockets)) throw new AuthorizerError("invalid_request", "TLS is off");
      (sockets as ReturnType<typeof createTlsServer>).setSecureContext(tlsOptions(material));
    },
    replaceTokens: (bearer) => {
      verifier.current = new BearerVerifier(bearer);
    },
    close: () => {
      stopping();
      connections.close();
      ended ??= end(sockets, grpc);
      return ended;
    },
  };
}

/** Adds both services; returns what ends the watching of health. */
function addServices(
  grpc: GrpcServer,
  options: ExtAuthzListenerOptions,
  verifier: { readonly current: BearerVerifier },
): () => void {
  const definitions = fromJSON(DEFINITIONS as never, {
    longs: Number,
    arrays: true,
    defaults: true,
    keepCase: true,
  });
  const admission = new Admission(options.limits, options.counters);
  const meter = options.counters.route("POST", CHECK_PATH);
  const serving = { ...options, admission, meter };
  const check: handleUnaryCall<CheckRequest, CheckResponse> = (call, answer) => {
    new ExtAuthzCall(serving, verifier.current, call, answer).serve();
  };
  grpc.addService(withHeaders(definitions) as never, { Check: check });
  const health = healthService(options.health);
  grpc.addService(definitions[HEALTH] as never, { Check: health.check, Watch: health.watch });
  return health.stop;
}

/** The service with calls of {@link CheckRequest}, whose headers are no more than it takes to refuse them. */
function withHeaders(definitions: PackageDefinition): ServiceDefinition {
  const service = definitions[AUTHORIZATION] as ServiceDefinition;
  const method = service["Check"] as MethodDefinition<object, object>;
  const headerMap = definitions[HEADER_MAP] as MessageTypeDefinition<object, object>;
  const requestDeserialize = (bytes: Buffer): object => {
    const request = method.requestDeserialize(bytes) as RawCheckRequest;
    const http = request.attributes?.request?.http;
    if (http !== undefined && http !== null) {
      const { header_map: bytes } = http;
      const first = bytes.length === 0 ? undefined : firstHeaders(bytes, MOST_READ);
      const map = first && headerMap.deserialize(Buffer.from(first));
      const isCut = first !== undefined && first.length < bytes.length;
      Object.assign(http, { header_map: map && { ...map, isCut } });
    }
    return request;
  };
  return { ...service, Check: { ...method, requestDeserialize } };
}

/** A question with its headers as bytes. */
interface RawCheckRequest {
  readonly attributes: {
    readonly request: { readonly http: { readonly header_map: Buffer } | null } | null;
  } | null;
}

interface HealthAnswer {
  readonly status: number;
}
interface HealthQuestion {
  readonly service: string;
}

/** gRPC's health service: open, as the probes are. */
function healthService(health: Health) {
  const watchers = new Set<() => void>();
  const places = new Places(MOST_WATCHERS, "too many watch the health");
  const known: ReadonlySet<string> = new Set(["", AUTHORIZATION, HEALTH]);
  const now = async (): Promise<number> => ((await health.reasons()).length === 0 ? SERVING : NOT_SERVING);
  const check = (
    { request }: ServerUnaryCall<HealthQuestion, HealthAnswer>,
    answer: sendUnaryData<HealthAnswer>,
  ): void => {
    if (!known.has(request.service)) {
      answer({ code: status.NOT_FOUND, details: "there is no such service here" });
      return;
    }
    now().then(
      (state) => answer(null, { status: state }),
      () => answer(null, { status: NOT_SERVING }),
    );
  };
  const watch: handleServerStreamingCall<HealthQuestion, HealthAnswer> = (stream) => {
    let leavePlace: () => void;
    try {
      leavePlace = places.take(addressOf(stream.getPeer()));
    } catch (error) {
      const { message: details } = error as AuthorizerError;
      stream.emit("error", { code: status.RESOURCE_EXHAUSTED, details });
      return;
    }
    let last: number | undefined;
    const tell = async (): Promise<void> => {
      const state = known.has(stream.request.service) ? await now() : SERVICE_UNKNOWN;
      if (state !== last && !stream.cancelled) stream.write({ status: state });
      last = state;
    };
    const timer = setInterval(() => void tell(), WATCH_MS).unref();
    const leave = (): void => {
      clearInterval(timer);
      if (watchers.delete(finish)) leavePlace();
    };
    const finish = (): void => {
      leave();
      stream.end(new Metadata());
    };
    watchers.add(finish);
    stream.on("cancelled", leave);
    void tell();
  };
  return {
    check,
    watch,
    stop: () => {
      for (const finish of watchers) finish();
    },
  };
}

const SERVICE_UNKNOWN = 3;

async function listen(
  sockets: NetServer,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    sockets.once("error", reject);
    sockets.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      sockets.off("error", reject);
      resolve();
    });
  });
  // A target of gRPC has no scheme.
  return urlOf(sockets).replace(/^https?:\/\//, "");
}

/** Accepts nothing more, finishes the calls that are under way, and cuts what is left after a while. */
async function end(sockets: NetServer, grpc: GrpcServer): Promise<void> {
  if (sockets.listening) sockets.close();
  const cut = setTimeout(() => grpc.forceShutdown(), CLOSE_WITHIN_MS);
  await new Promise<void>((resolve) => grpc.tryShutdown(() => resolve()));
  clearTimeout(cut);
}
