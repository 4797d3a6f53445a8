/**
 * Asks a data server with one key about a configuration (`config validate --online`): whether it takes the key, and
 * whether hooks may run, which act as its one administrator (spec/exchange §4).
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { ConfigProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { DataServer, type DataServerAnswer } from "../api/streaming/data-server.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { ConfigName } from "../config/table.ts";
import type { Exchange, OwnRequest } from "../exchange/exchange.ts";
import { serviceExchange } from "./apis/exchange.ts";

/** Problems and warnings. */
interface OnlineFindings {
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

const UPSTREAM = "authorizer.exchange.upstream";
const KEY = "authorizer.exchange.access_key_id";
const DOMAIN = "gateways.s3.domain_name";
const IDLE_MS = 5_000;
/** Repositories that are looked into; more are not. */
const MOST = 100;
const WITHOUT =
  "names no data server, so that none is asked; without it and streaming_address, uploads that are signed in chunks are refused, and lists of repositories need the right to all";
const HOOKS =
  "hooks run as the data server's one administrator: set its actions.enabled to false (LAKEFS_ACTIONS_ENABLED=false)";

/** Asks the data server of `authorizer.exchange.upstream`. Never throws for what it answers. */
export async function onlineFindings({ values, origins }: LoadedConfig): Promise<OnlineFindings> {
  const found = { problems: [] as ConfigProblem[], warnings: [] as ConfigProblem[] };
  const tell = (list: ConfigProblem[]) => (item: ConfigName, message: string) =>
    void list.push(problemOf(item, message, origins.get(item)?.place ?? {}));
  const problem = tell(found.problems);
  const warning = tell(found.warnings);
  const upstream = values[UPSTREAM];
  const exchange = serviceExchange(values, { endpoints: new Map() });
  if (upstream === undefined || exchange === undefined) {
    const isForProviders = values[KEY] === undefined && values["authorizer.oidc.issuers"].length > 0;
    if (!isForProviders) warning(UPSTREAM, WITHOUT);
    return found;
  }
  const server = new AskedServer(new DataServer(upstream, IDLE_MS), exchange);
  try {
    const user = await server.main("/api/v1/user");
    if (user.status !== 200) problem(KEY, `the data server at ${UPSTREAM} does not take it: ${user.status}`);
    else {
      const [domain] = values[DOMAIN];
      const buckets = domain === undefined ? undefined : await server.buckets(domain);
      if (buckets !== undefined && buckets.status !== 200) {
        problem(DOMAIN, `the data server's S3 gateway does not answer at ${domain}: ${buckets.status}`);
      }
      for (const message of await hooks(server)) warning(UPSTREAM, message);
    }
  } catch (error) {
    problem(UPSTREAM, error instanceof Error ? error.message : "the data server does not answer");
  } finally {
    server.close();
  }
  return found;
}

/** The data server's API does not tell whether hooks run: what can be seen of them is told. */
async function hooks(server: AskedServer): Promise<readonly string[]> {
  const list = (await server.results(`/api/v1/repositories?amount=${MOST}`)) ?? [];
  const seen: string[] = [];
  for (const { id, default_branch: branch } of list) {
    const path = `/api/v1/repositories/${encodeURIComponent(String(id))}`;
    const ref = encodeURIComponent(String(branch));
    const query = `prefix=${encodeURIComponent("_lakefs_actions/")}&amount=1`;
    const files = await server.results(`${path}/refs/${ref}/objects/ls?${query}`);
    const runs = await server.results(`${path}/actions/runs?amount=1`);
    if (runs !== undefined && runs.length > 0) seen.push(`hooks of repository ${id} have run; ${HOOKS}`);
    else if (files !== undefined && files.length > 0) seen.push(`repository ${id} has hooks; ${HOOKS}`);
  }
  return seen.length > 0
    ? seen
    : [`no hooks were found, and the data server does not tell whether they would run; ${HOOKS}`];
}

/** Requests with the one key. */
class AskedServer {
  readonly #server: DataServer;
  readonly #exchange: Exchange;

  constructor(server: DataServer, exchange: Exchange) {
    this.#server = server;
    this.#exchange = exchange;
  }

  /** A call of the main API. */
  main(target: string): Promise<DataServerAnswer> {
    const [path = "", query = ""] = target.split("?");
    const headers = new Map([["host", this.#server.host]]);
    return this.#ask({ wire: { api: "main", method: "GET", path, query }, headers }, target);
  }

  /** ListBuckets at a host. */
  buckets(host: string): Promise<DataServerAnswer> {
    return this.#ask(
      { wire: { api: "gateway", method: "GET", path: "/", query: "" }, headers: new Map([["host", host]]) },
      "/",
    );
  }

  /** The results of a list; undefined where there are none to read. */
  async results(target: string): Promise<readonly Record<string, unknown>[] | undefined> {
    const { status, body } = await this.main(target);
    if (status !== 200) return undefined;
    const { results } = parseJsonText(body) as { readonly results?: unknown };
    return Array.isArray(results) ? results : undefined;
  }

  close(): void {
    this.#server.close();
  }

  #ask(request: OwnRequest, target: string): Promise<DataServerAnswer> {
    const own = this.#exchange.own(request);
    if ("refused" in own) throw new Error(String(own.refused));
    const headers = new Map([...request.headers, ...Object.entries(own)]);
    return this.#server.ask({ method: "GET", target, headers }, undefined);
  }
}
