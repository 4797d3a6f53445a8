/**
 * The streaming listener of the exchange (spec/exchange §6): requests that a proxy sends here in place of the data server.
 * It authenticates and decides by itself; no header about who may what is believed.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Exchange, OwnRequest } from "../../exchange/exchange.ts";
import { Places } from "../../http/places.ts";
import type { HttpCounters, HttpLog } from "../../http/ports.ts";
import { clientAddress } from "../../http/request/client-address.ts";
import type { Api, MountedRoute, RawCall, Reply } from "../../http/route.ts";
import type { DecisionMeters } from "../decisions/ports.ts";
import { answerOf, headerName } from "../forward-auth/answers.ts";
import { type AskedRequest, decideRequest, type Outcome } from "../forward-auth/decide-request.ts";
import { type CallingProxy, callingProxy, type ForwardAuthOptions } from "../forward-auth/forward-auth.ts";
import { requestAsTold, splitUri } from "../forward-auth/proxies.ts";
import { headersForClients } from "../forward-auth/refusals.ts";
import { DataServer, type DataServerAnswer } from "./data-server.ts";
import { type ListParts, listBuckets, listRepositories, replyOf } from "./filtered-lists.ts";
import { isNamed, smallBody, withName } from "./named-changes.ts";
import { linger, refusal } from "./refusals.ts";
import { bodyForm, relayUpload } from "./relay-upload.ts";
import { headersOnward, unwrappedHeaders } from "./upload-headers.ts";

/** Options of the listener's API. */
export interface StreamingOptions extends ForwardAuthOptions {
  readonly exchange: Exchange;
  /** `authorizer.exchange.upstream`. */
  readonly upstream: string;
  /** `authorizer.exchange.name_in_metadata`; undefined: off. */
  readonly nameInMetadata: string | undefined;
  /** Seals the places where filtered lists go on. */
  readonly offsets: Pick<ListParts, "seal" | "open">;
  /** Milliseconds for which a connection may stand still. */
  readonly idleMs: number;
  /** Requests that may be under way at once, half of them of one user. */
  readonly mostAtOnce: number;
}

/** Ports for counting and logging. */
interface StreamingServing {
  readonly counters: HttpCounters & DecisionMeters;
  readonly log: HttpLog;
}

/** Parts that all requests share. */
interface Parts extends StreamingServing {
  readonly options: StreamingOptions;
  readonly dataServer: DataServer;
  readonly places: Places;
}

/** The API: one route for all targets. */
interface StreamingApi {
  readonly route: MountedRoute;
  /** Closes the connections to the data server. */
  close(): void;
}

/** The name of all targets in logs and metrics. */
const SHOWN = "/exchange";
const CHUNK_SIGNED: ReadonlySet<string> = new Set([
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
]);
const NOT_HERE =
  "this listener takes bodies that are signed in chunks, lists of repositories, and what gets the name of its caller";
/** Paths of the lists of repositories: of the main API, and of S3. */
const REPOSITORIES = "/api/v1/repositories";
const LISTS: ReadonlySet<string> = new Set([REPOSITORIES, "/"]);

type Passed = Extract<Outcome, { readonly pass: true }>;

/** Builds the API. */
export function openStreaming(options: StreamingOptions, serving: StreamingServing): StreamingApi {
  const dataServer = new DataServer(options.upstream, 2 * options.idleMs);
  const places = new Places(options.mostAtOnce, "too many uploads and lists at once, try again");
  const parts: Parts = { ...serving, options, dataServer, places };
  const api: Api<CallingProxy> = { authenticate: (call) => callingProxy(options, call), refusal };
  return {
    route: {
      ...{ method: "PUT", path: SHOWN, api, priority: "hot", reads: true },
      meter: serving.counters.route("*", SHOWN),
      handle: async (call: RawCall<CallingProxy>) => {
        const reply = await serve(parts, call);
        linger(call);
        return reply;
      },
    },
    close: () => dataServer.close(),
  };
}

async function serve(parts: Parts, call: RawCall<CallingProxy>): Promise<Reply> {
  const asked = askedRequest(parts.options, call);
  const kind = kindOf(asked);
  if (kind === undefined) throw notAllowed(NOT_HERE);
  const request = kind === "list" ? { ...asked, filters: true } : asked;
  const outcome = await decideRequest(parts.options, request);
  if (!outcome.pass) {
    const reply = answerOf(outcome, request, { log: parts.log, entrance: SHOWN, proxy: "nginx" });
    return { ...reply, headers: headersForClients(reply.headers ?? []) };
  }
  // An upload may take hours: the bound of all requests alone would give all places to one user.
  const leave = parts.places.take(callerOf(outcome));
  try {
    if (kind === "list") return await list(parts, call, request, outcome);
    const send = kind === "upload" ? upload : change;
    return replyOf(await send(parts, call, request, outcome));
  } finally {
    leave();
  }
}

function callerOf({ identity }: Passed): string {
  if (identity === undefined) return "";
  return identity.how === "oidc_token" ? `${identity.issuer.name} ${identity.username}` : identity.userId;
}

/** The kind of a request; undefined for one that is not for this listener. */
function kindOf({ original, headers }: AskedRequest): "upload" | "list" | "change" | undefined {
  const { method, uri } = original;
  const [path] = splitUri(uri);
  if (method === "GET" && LISTS.has(path)) return "list";
  // The answer to anything else may be a whole object, and answers are kept in memory.
  if (method !== "POST" && method !== "PUT") return undefined;
  if (CHUNK_SIGNED.has(headers.single("x-amz-content-sha256") ?? "")) return "upload";
  return path.startsWith(`${REPOSITORIES}/`) ? "change" : undefined;
}

/** The client's request. @throws AuthorizerError "not_allowed" for one that has more than one reading */
function askedRequest(options: StreamingOptions, call: RawCall<CallingProxy>): AskedRequest {
  const { headers, address } = call.caller;
  const { method, url } = call.request;
  const told = { method, uri: url, host: headers.single("host") };
  const original = requestAsTold(told, headers.single("content-length"));
  if (original === undefined || headers.repeated.has("content-length")) {
    throw notAllowed("the request has more than one reading");
  }
  const source = clientAddress(options.trusted, address, headers.get("x-forwarded-for"));
  if (source === undefined) throw notAllowed("X-Forwarded-For holds something that is no address");
  return { original, headers, source, requestId: call.requestId, call };
}

async function upload(
  { options, dataServer }: Parts,
  call: RawCall<CallingProxy>,
  { original, headers }: AskedRequest,
  { identity }: Passed,
): Promise<DataServerAnswer> {
  const { method, uri: target } = original;
  const [path, query] = splitUri(target);
  const form = bodyForm(headers);
  const signed = { method, path, query, headers: headers.restored(original) };
  const chain = await options.identities.chunksOf(signed);
  const onward = unwrappedHeaders(headers);
  onward.set("content-length", String(form.bytes));
  if (identity !== undefined) onward.set("x-svc-user", headerName(identity.username));
  const ready = withCredential(options.exchange, {
    wire: { api: "gateway", method, path, query },
    headers: onward,
  });
  const begin = () => dataServer.send({ method, target, headers: ready });
  return relayUpload({ call, chain, form, begin, idleMs: options.idleMs });
}

/** A request whose JSON gets the name of its caller. */
async function change(
  { options, dataServer }: Parts,
  call: RawCall<CallingProxy>,
  { original, headers }: AskedRequest,
  { identity, told }: Passed,
): Promise<DataServerAnswer> {
  const { method, uri: target } = original;
  const { nameInMetadata: key, idleMs } = options;
  const operation = told?.operation ?? null;
  if (!isNamed(operation) || identity === undefined) throw notAllowed(NOT_HERE);
  const sent = await smallBody(call, idleMs);
  const { username } = identity;
  const body = key === undefined ? sent : await withName(operation, sent, { key, username });
  const [path, query] = splitUri(target);
  const onward = headersOnward(headers);
  onward.set("content-type", "application/json");
  onward.set("content-length", String(body.length));
  onward.set("x-svc-user", headerName(username));
  const wire = { api: "main", method, path, query } as const;
  const request = { method, target, headers: withCredential(options.exchange, { wire, headers: onward }) };
  call.deadline = performance.now() + 2 * idleMs + 1_000;
  return dataServer.ask(request, body, call.signal);
}

function list(
  { options, dataServer }: Parts,
  call: RawCall<CallingProxy>,
  { original, source, requestId }: AskedRequest,
  { identity, told }: Passed,
): Promise<Reply> {
  const [path, query] = splitUri(original.uri);
  const isMain = path === REPOSITORIES;
  const { perItem, operation } = told ?? {};
  if (operation !== (isMain ? "listRepositories" : "ListBuckets") || identity === undefined) {
    throw notAllowed("this is no list of repositories");
  }
  const context = new Map([["SourceIp", source]]);
  const { username: user } = identity;
  // The data server is asked page after page: meanwhile the name may have become somebody else's.
  const userId = identity.how === "oidc_token" ? undefined : identity.userId;
  const ofUser = (request: string): string => JSON.stringify([REPOSITORIES, user, request]);
  const lists: ListParts = {
    ask: (target) => {
      const [askedPath, askedQuery] = splitUri(target);
      const wire = { api: "main", method: "GET", path: askedPath, query: askedQuery } as const;
      const headers = new Map([["host", dataServer.host]]);
      const request = { method: "GET", target, headers: withCredential(options.exchange, { wire, headers }) };
      return dataServer.ask(request, undefined, call.signal);
    },
    // Without items to filter, the user has the right to all.
    filter: async (ids) => {
      if (perItem === undefined) return ids.map((_id, index) => index);
      const { action, resource } = perItem;
      const resources = ids.map((id) => resource.replace(/\{[^{}]*\}/, () => id));
      const question = { user, userId, action, resources, context, requestId, waiter: call };
      return options.decisions.filter(question);
    },
    seal: (after, request) => options.offsets.seal(after, ofUser(request)),
    open: (sealed, request) => options.offsets.open(sealed, ofUser(request)),
    progress: () => {
      call.deadline = performance.now() + 2 * options.idleMs + 1_000;
    },
  };
  return isMain ? listRepositories(lists, query) : listBuckets(lists, query);
}

/** The headers with the one key's credential. */
function withCredential(exchange: Exchange, request: OwnRequest): ReadonlyMap<string, string> {
  const own = exchange.own(request);
  if ("refused" in own) throw notAllowed(String(own.refused));
  return new Map([...request.headers, ...Object.entries(own)]);
}

function notAllowed(message: string): AuthorizerError {
  return new AuthorizerError("not_allowed", message);
}
