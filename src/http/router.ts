/**
 * Finds the route that a request target names. Routes match exactly, on the raw target: a trailing or doubled slash
 * must never reach the route of the parent path (spec/authorization-api §15.1).
 */

import type { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { answer, refuse } from "./answer.ts";
import { nothingHere, RequestRefused } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { serve } from "./pipeline.ts";
import { useOriginForm } from "./request/request-target.ts";
import type { Method, MountedRoute } from "./route.ts";

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  parameter: Node<R> | undefined;
  readonly routes: Map<string, R>;
}

/** A path that is known, with the routes on it by method. */
interface PathMatch<R> {
  readonly routes: ReadonlyMap<string, R>;
  readonly params: readonly string[];
}

/** Decodes a path segment; undefined for one that cannot be decoded. */
type DecodeSegment = (segment: string) => string | undefined;

/** Finds routes by request targets. */
class PathTable<R extends { readonly method: Method; readonly path: string; readonly head?: boolean }> {
  readonly #root: Node<R> = emptyNode();
  readonly #decode: DecodeSegment;

  /** @param decode what makes a parameter of a path segment */
  constructor(routes: readonly R[], decode: DecodeSegment) {
    this.#decode = decode;
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.path.split("/").slice(1)) node = below(node, segment);
      node.routes.set(route.method, route);
      if (route.head === true) node.routes.set("HEAD", route);
    }
  }

  /**
   * @param target the raw request target, in origin form
   * @param method the wanted one: where a word of a path has no such route, it may be the value of a parameter
   * @returns undefined for a path that no route has
   */
  match(target: string, method: string): PathMatch<R> | undefined {
    if (!target.startsWith("/")) return undefined;
    const query = target.indexOf("?");
    const end = query < 0 ? target.length : query;
    const params: string[] = [];
    let node: Node<R> | undefined = this.#root;
    let hasWords = false;
    for (let start = 1; start <= end && node !== undefined; ) {
      const stop = endOfSegment(target, start, end);
      const segment = target.slice(start, stop);
      start = stop + 1;
      const literal: Node<R> | undefined = node.literals.get(segment);
      if (literal !== undefined) {
        hasWords ||= node.parameter !== undefined;
        node = literal;
        continue;
      }
      node = node.parameter;
      const value = node === undefined ? undefined : this.#valueOf(segment);
      if (value === undefined) node = undefined;
      else params.push(value);
    }
    const found = node === undefined ? undefined : matchOf(node, params);
    if (!hasWords || found?.routes.has(method) === true) return found;
    return this.#matchBelow(this.#root, target.slice(1, end).split("/"), [], method);
  }

  /** As {@link match}, where a segment may be a word of a path and the value of a parameter: a policy named `lint`. */
  #matchBelow(
    node: Node<R>,
    segments: readonly string[],
    params: readonly string[],
    method: string,
  ): PathMatch<R> | undefined {
    const [segment, ...rest] = segments;
    if (segment === undefined) return matchOf(node, params);
    const literal = node.literals.get(segment);
    const asWord = literal && this.#matchBelow(literal, rest, params, method);
    if (asWord?.routes.has(method) === true) return asWord;
    const value = node.parameter && this.#valueOf(segment);
    if (node.parameter === undefined || value === undefined) return asWord;
    const asValue = this.#matchBelow(node.parameter, rest, [...params, value], method);
    if (asWord === undefined || asValue?.routes.has(method) === true) return asValue;
    return { ...asWord, routes: new Map([...(asValue?.routes ?? []), ...asWord.routes]) };
  }

  #valueOf(segment: string): string | undefined {
    return segment === "" ? undefined : this.#decode(segment);
  }
}

function endOfSegment(target: string, start: number, end: number): number {
  const slash = target.indexOf("/", start);
  return slash < 0 || slash > end ? end : slash;
}

function matchOf<R>(node: Node<R>, params: readonly string[]): PathMatch<R> | undefined {
  return node.routes.size === 0 ? undefined : { routes: node.routes, params };
}

function emptyNode<R>(): Node<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function below<R>(node: Node<R>, segment: string): Node<R> {
  if (segment.startsWith("{")) {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  const known = node.literals.get(segment) ?? emptyNode<R>();
  node.literals.set(segment, known);
  return known;
}

/** Options of {@link routed}. */
export interface RouterOptions {
  readonly routes: readonly MountedRoute[];
  readonly decode: DecodeSegment;
  /** Takes raw targets, also in absolute form, before the paths are looked at; undefined: the paths decide. */
  readonly claim?: (target: string) => MountedRoute | undefined;
  /** Takes targets that no path has; undefined: they are 404. */
  readonly otherwise?: (method: string, target: string) => MountedRoute | undefined;
  /** The error of a target that nothing takes; absent: that of any path. */
  readonly nothing?: (target: string) => AuthorizerError;
}

/**
 * Builds the handler of a server. Hot routes of POST are found by their exact target; with a query, they are found as
 * all others are.
 */
export function routed(options: RouterOptions): (exchange: Exchange) => void {
  const { routes, decode, claim, otherwise, nothing = nothingHere } = options;
  const table = new PathTable(routes, decode);
  const hot = routes.filter(({ method, priority, path }) => {
    return method === "POST" && priority === "hot" && !path.includes("{");
  });
  // Comparing a few texts of different lengths takes less than hashing one.
  const find = (target: string) => {
    for (const route of hot) if (route.path === target) return route;
    return undefined;
  };
  return (exchange) => {
    const { request } = exchange;
    const { method, url: target = "" } = request;
    const route = (method === "POST" ? find(target) : undefined) ?? claim?.(target);
    if (route !== undefined) {
      serve(exchange, route);
      return;
    }
    useOriginForm(request);
    const found = table.match(request.url as string, method as string);
    const one = found?.routes.get(method as string);
    if (one !== undefined) serve(exchange, one, found?.params);
    else if (found !== undefined) refuseMethod(exchange, found.routes);
    else {
      const page = otherwise?.(method as string, request.url as string);
      if (page === undefined) refuse(exchange, nothing(request.url as string));
      else serve(exchange, page);
    }
  };
}

/** Answers OPTIONS with the methods that the path knows, and any other with 405, in the form of the path's API. */
function refuseMethod(exchange: Exchange, routes: ReadonlyMap<string, MountedRoute>): void {
  const [first] = routes.values();
  exchange.route = { ...exchange.route, ...(first === undefined ? {} : { api: first.api }) };
  const allow = [...routes.keys(), "OPTIONS"].join(", ");
  if (exchange.request.method === "OPTIONS") answer(exchange, { status: 204, headers: ["Allow", allow] });
  else {
    refuse(exchange, new RequestRefused(405, `this path knows the methods ${allow}`, ["Allow", allow]));
  }
}
