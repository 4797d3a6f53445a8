/** The life of a server: listening, deadlines of requests, and an end that cuts no request. */

import {
  createServer,
  type Server as HttpServer,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as HttpsServer } from "node:https";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { WorkUnderWay } from "../../schedule/work-under-way.ts";
import { refuse } from "../answer.ts";
import { BodyBudget } from "../body/body-budget.ts";
import { RequestRefused } from "../errors.ts";
import { Exchange, type ServerContext } from "../exchange.ts";
import { IncomingRequest } from "../fast/incoming-request.ts";
import { requestId } from "../request/request-id.ts";
import { type MountedRoute, OPEN_API } from "../route.ts";
import { AnswerBudget } from "./answer-budget.ts";
import { acceptOnly, type ListenerPlaces } from "./connection-places.ts";
import { Connections } from "./connections.ts";
import { rawReply } from "./raw-reply.ts";
import { SmallPieces } from "./small-pieces.ts";

const MAX_CHECK_INTERVAL_MS = 1000;
const HANDSHAKE_MS = 10_000;
const CLOSE_WITHIN_MS = 10_000;
const IDLE_CHECK_MS = 200;

/** Certificate and key for TLS; texts in PEM. */
export interface TlsMaterial {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** Certificate authorities of clients: turns on mutual TLS. */
  readonly clientCa?: string | Buffer;
}

/** Options of {@link createManagedServer}. */
export interface ManagedServerOptions
  extends Pick<ServerContext, "admission" | "counters" | "limits" | "log">,
    Partial<Pick<ServerContext, "answerHeaders" | "shortcuts">> {
  /** The revisions that answers name; absent for a server that answers nothing from the directory. */
  readonly revisions?: ServerContext["revisions"];
  /** Absent if nothing is traced. */
  readonly traces?: ServerContext["traces"] | undefined;
  readonly tls?: TlsMaterial;
  /** Absent: connections are not bounded. */
  readonly places?: ListenerPlaces | undefined;
  /** Serves one request; must not throw. */
  readonly handler: (exchange: Exchange) => void;
}

/** A server with its life. */
export interface ManagedServer {
  readonly server: HttpServer | HttpsServer;
  readonly stopping: () => boolean;
  /** URL with the real address; undefined while it does not listen. */
  readonly url: () => string | undefined;
  /**
   * Listens and returns the URL with the real address.
   * @param address an empty host means every interface, port 0 a free one.
   * @throws what `node:net` reports, e.g. with code EADDRINUSE.
   */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** Shows other certificates from now on; throws and keeps the old ones when they are faulty or TLS is off. */
  replaceTls(tls: TlsMaterial): void;
  /**
   * Accepts nothing more, answers what is on its way and what still comes on open connections (with
   * `Connection: close`), closes idle connections, and waits for calls whose callers have gone; after 10 s cuts what is
   * left. Repeated calls share one end.
   */
  close(): Promise<void>;
  /** Resolves when no call is worked on, also none that the end did not wait for, or after some milliseconds. */
  finished(withinMs: number): Promise<void>;
}

/** Builds a server; it does not listen yet. */
export function createManagedServer(options: ManagedServerOptions): ManagedServer {
  const life = { stopping: false };
  const { headersBytes, requestTimeoutMs } = options.limits;
  const serverOptions = {
    IncomingMessage: IncomingRequest,
    maxHeaderSize: headersBytes,
    // Idle connections are found by our own check, which costs a request no timers.
    keepAliveTimeout: 0,
    headersTimeout: Math.ceil(requestTimeoutMs),
    // Our own deadlines take its place: streams may last longer, and a late caller gets a JSON answer.
    requestTimeout: 0,
    connectionsCheckingInterval: checkInterval(requestTimeoutMs),
    // Our own answer takes its place: node's has no body.
    requireHostHeader: false,
    // A request without a body needs no stream.
    optimizeEmptyRequests: true,
    noDelay: true,
  };
  const smallPieces = new SmallPieces(() => connections.pause());
  const context = contextOf(options, () => life.stopping, smallPieces);
  const { answerHeaders, answers } = context;
  const connections: Connections = new Connections({
    answerHeaders,
    answers,
    trustedAnswers: new AnswerBudget(options.limits.trustedAnswersBytes, options.counters),
    places: options.places,
    serve: (exchange) => begin(exchange, options.handler),
  });
  const onRequest = requestListener(context, options.handler, connections);
  const server =
    options.tls === undefined
      ? createServer(serverOptions, onRequest)
      : createTlsServer({ ...serverOptions, ...tlsOptions(options.tls) }, onRequest);
  const { places } = options;
  if (places !== undefined) acceptOnly(server, (socket) => places.take(socket));
  server.on(options.tls === undefined ? "connection" : "secureConnection", (socket) =>
    connections.add(socket),
  );
  answerOddRequests(server, context, options.handler, connections);
  let ended: Promise<void> | undefined;
  return {
    server,
    stopping: () => life.stopping,
    url: () => (server.listening ? urlOf(server) : undefined),
    listen: (address) => listen(server, address, connections, checkInterval(requestTimeoutMs)),
    replaceTls: (tls) => {
      if (!("setSecureContext" in server)) throw new AuthorizerError("invalid_request", "TLS is off");
      server.setSecureContext(tlsOptions(tls));
    },
    close: () => {
      life.stopping = true;
      ended ??= end(server, connections, context.calls);
      return ended;
    },
    finished: (withinMs) => context.calls.done(withinMs),
  };
}

function checkInterval(timeoutMs: number): number {
  return Math.min(MAX_CHECK_INTERVAL_MS, Math.max(10, Math.floor(timeoutMs / 4)));
}

/** The options of `node:tls` for a listener: TLS 1.2 or later, mutual with the authorities of clients. */
export function tlsOptions(tls: TlsMaterial) {
  const mutual =
    tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
  return {
    cert: tls.cert,
    key: tls.key,
    minVersion: "TLSv1.2",
    handshakeTimeout: HANDSHAKE_MS,
    ...mutual,
  } as const;
}

const NO_HEADERS: readonly string[] = [];

function contextOf(
  options: ManagedServerOptions,
  stopping: () => boolean,
  smallPieces: SmallPieces,
): ServerContext {
  const { admission, counters, limits, log, revisions, traces } = options;
  const { answerHeaders = () => NO_HEADERS, shortcuts = true } = options;
  const unrouted: MountedRoute = {
    method: "GET",
    path: "",
    api: OPEN_API,
    meter: counters.route("*", "unmatched"),
    handle: () => ({ status: 404 }),
  };
  const bodies = new BodyBudget(limits.bodiesBytes, counters);
  const answers = new AnswerBudget(limits.answersBytes, counters);
  return {
    admission,
    bodies,
    answers,
    smallPieces,
    calls: new WorkUnderWay(),
    counters,
    limits,
    shortcuts,
    log,
    revisions,
    traces,
    answerHeaders,
    stopping,
    unrouted,
  };
}

type Listener = RequestListener<typeof IncomingRequest, typeof ServerResponse>;
type Handler = ManagedServerOptions["handler"];

function requestListener(context: ServerContext, handler: Handler, connections: Connections): Listener {
  return (request, response) => {
    accept(new Exchange(context, request, response), handler, connections);
  };
}

function accept(exchange: Exchange, handler: Handler, connections: Connections): void {
  if (connections.serving(exchange)) begin(exchange, handler);
}

function begin(exchange: Exchange, handler: Handler): void {
  const { request, response, server } = exchange;
  if (server.stopping()) response.shouldKeepAlive = false;
  if (request.headers.host === undefined && request.httpVersionMinor === 1) {
    response.shouldKeepAlive = false;
    refuse(exchange, new RequestRefused(400, "a Host header is needed"));
  } else {
    // What is thrown here would end the process, with one request of anybody.
    try {
      handler(exchange);
    } catch (error) {
      refuse(exchange, error);
    }
  }
}

/** Requests that `node:http` reports by other events than "request", or would answer without a body. */
function answerOddRequests(
  server: HttpServer | HttpsServer,
  context: ServerContext,
  handler: Handler,
  connections: Connections,
): void {
  server.on("checkContinue", (request, response) => {
    const exchange = new Exchange(context, request as IncomingRequest, response);
    exchange.awaitsContinue = true;
    accept(exchange, handler, connections);
  });
  server.on("checkExpectation", (request, response) => {
    response.shouldKeepAlive = false;
    const exchange = new Exchange(context, request as IncomingRequest, response);
    refuse(exchange, new RequestRefused(417, "Expect: only 100-continue is known"));
  });
  server.on("connect", ({ headers }, socket) => {
    const id = requestId(headers["x-request-id"] as string | undefined);
    rawReply(socket, {
      status: 405,
      message: "CONNECT is not served",
      headers: [
        "X-Request-ID",
        id,
        "Allow",
        "GET, HEAD, POST, PUT, DELETE, OPTIONS",
        ...context.answerHeaders(),
      ],
    });
  });
  server.on("clientError", (error, socket) => connections.refuseMalformed(error, socket as Socket));
}

async function listen(
  server: HttpServer | HttpsServer,
  address: { readonly host: string; readonly port: number },
  connections: Connections,
  intervalMs: number,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: address.port, ...(address.host === "" ? {} : { host: address.host }) }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const watch = setInterval(() => {
    const now = performance.now();
    connections.refuseOverdue(now);
    connections.closeIdle(now);
  }, intervalMs).unref();
  server.once("close", () => clearInterval(watch));
  return urlOf(server);
}

/** The URL of a listening server. */
export function urlOf(server: NetServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  const scheme = "setSecureContext" in server ? "https" : "http";
  return `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/**
 * `server.close()` of `node:http` would cut idle connections at once, and with them a request that is just on its
 * way. So only the listening ends at once; whoever has not sent anything within a moment is idle indeed.
 */
async function end(
  server: HttpServer | HttpsServer,
  connections: Connections,
  calls: WorkUnderWay,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.once("close", resolve);
  });
  NetServer.prototype.close.call(server);
  let checks = 0;
  const check = () => {
    checks++;
    server.closeIdleConnections();
    connections.closeSilent(checks * IDLE_CHECK_MS);
  };
  // After what has arrived is read: a process that was held up would else cut requests that are there.
  const idle = setInterval(() => setImmediate(check), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
  const cutAt = performance.now() + CLOSE_WITHIN_MS;
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
  await calls.done(Math.max(0, cutAt - performance.now()));
  // The listening has ended: this only stops the timer that checks connections.
  server.close(() => {});
}
