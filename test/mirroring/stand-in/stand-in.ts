/**
 * Stands in for a data server: the calls of mirroring with the real one's answers and traps, and nothing else. What it answers
 * is held to recorded answers of the real one by `recorded-answers.test.ts`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { commitId } from "../../../src/mirroring/commit-identity.ts";
import type { LoggedCommit } from "../../../src/mirroring/logged-commit.ts";
import { type Store, tableKey } from "./content.ts";
import { pathBytes, pathOfQuery } from "./path-bytes.ts";
import { type Gate, Repository } from "./repository.ts";

/** The effect of a fault on a call. `lost`: it is done, and the answer is not sent; `unknown`: 404, as of a proxy. */
type Fault =
  | "none"
  | "busy"
  | "unknown"
  | "refused"
  | "lost"
  | { readonly delayMs: number }
  /** As of a proxy that holds it: it is done when this resolves. */
  | { readonly until: Promise<void> };

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Bytes in the place of JSON. */
  readonly bytes?: Buffer;
  /** True: the connection ends before the body is whole. */
  readonly isCut?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as routes see it. */
interface Asked {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The object's path of the query. */
  readonly object: string;
  readonly body: Record<string, unknown>;
  readonly range: string | undefined;
}

/** Bytes of the longest path. */
const LONGEST_PATH = 1_024;
const done: Answer = { status: 204 };
const failed = (status: number, message: string): Answer => ({ status, body: { message } });
const NOT_FOUND = failed(404, "not found");
const NO_DATA = failed(410, "No data");
const READ_ONLY = failed(403, "read-only repository");

/** The server. */
export class StandIn {
  readonly store: Store = new Map();
  readonly repositories = new Map<string, Repository>();
  /** Repositories that were deleted a moment ago: caches answer for them. */
  readonly cached = new Map<string, Repository>();
  /** Calls by kind: `GET branches`. */
  readonly calls = new Map<string, number>();
  /** Calls that were to change something and came to their end, whatever that was. */
  changes = 0;
  /** Asked before each call. */
  fault: (call: string) => Fault = () => "none";
  /** Whether it knows the caller; it asks nobody by itself. */
  isKnown: (authorization: string) => boolean | Promise<boolean> = () => true;
  gate: Gate = async () => {};
  onHead: (repository: Repository, branch: string, commit: string | undefined) => void = () => {};
  /** Called when branches are listed, and when a commit is recorded. */
  onList: (repository: Repository) => void = () => {};
  onRecord: (commit: string) => void = () => {};
  /** Branches that a protection rule closes to hard resets and deletions. */
  readonly closedBranches = new Set<string>();
  /** Namespaces have to begin with it. */
  scheme = "local://";
  /** Unix seconds. */
  now = (): number => Math.floor(Date.now() / 1000);
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<StandIn> {
    const server = createServer((request, response) => {
      standIn.#serve(request, response).catch((error: unknown) => {
        response.writeHead(500).end(JSON.stringify({ message: String(error) }));
      });
    });
    const standIn: StandIn = new StandIn(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Creates a repository at once. */
  create(
    name: string,
    more: { namespace?: string; isReadOnly?: boolean; defaultBranch?: string } = {},
  ): Repository {
    const facts = { name, namespace: `local://${name}`, createdAt: this.now(), ...more };
    const repository: Repository = new Repository(
      facts,
      this.store,
      (...args) => this.gate(...args),
      (branch, commit) => this.onHead(repository, branch, commit),
    );
    this.repositories.set(name, repository);
    return repository;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://localhost");
    const method = request.method ?? "";
    const path = url.pathname.replace("/api/v1/", "").split("/").map(decodeURIComponent);
    const hasBody = request.headers["content-type"] === "application/json";
    const body = hasBody ? ((await json(request)) as Record<string, unknown>) : {};
    const parts = path.slice(2).filter((_, at) => at % 2 === 0);
    const call = `${method} ${path[0] === "config" ? "config" : parts.join(" ") || "repository"}`;
    this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
    const fault = this.fault(call);
    if (fault === "busy") return send(response, failed(503, "busy"));
    if (fault === "unknown") return send(response, failed(404, "no such page"));
    if (fault === "refused") return void response.destroy();
    if (typeof fault === "object") await ("until" in fault ? fault.until : delay(fault.delayMs));
    const { authorization } = request.headers;
    if (authorization === undefined || !(await this.isKnown(authorization)))
      return send(response, failed(401, "error authenticating request"));
    const range = request.headers.range;
    const object = pathOfQuery(request.url ?? "");
    const answer = await this.#answer({ method, path, query: url.searchParams, object, body, range });
    if (method !== "GET") this.changes += 1;
    if (fault === "lost" || answer === undefined) return void response.destroy();
    send(response, answer);
  }

  async #answer(asked: Asked): Promise<Answer | undefined> {
    const { method, path, body } = asked;
    const [first, name, kind] = path;
    if (first === "config") return { status: 200, body: configurationOf(this.scheme) };
    if (name === undefined && method === "GET") {
      return pageOf(
        [...this.repositories.values()].map((one) => factsOf(one).body),
        "",
      );
    }
    if (name === undefined) return this.#createRepository(body);
    const repository = this.repositories.get(name);
    if (repository === undefined) {
      const cached = this.cached.get(name);
      return cached !== undefined && method === "GET" && kind === undefined
        ? factsOf(cached)
        : failed(404, "repository not found");
    }
    if (method !== "GET" && kind !== "metadata" && kind !== "pulls" && repository.isReadOnly) {
      const isForced = body["force"] === true || asked.query.get("force") === "true";
      if (!isForced) return READ_ONLY;
    }
    if (kind === undefined && method === "DELETE") {
      this.repositories.delete(name);
      this.cached.set(name, repository);
      return done;
    }
    if (kind === undefined) return factsOf(repository);
    if (kind === "pulls") return { status: 201, body: { id: "1" } };
    if (kind === "commits") return this.#record(repository, body);
    if (kind === "metadata") return this.#metadata(repository, asked);
    if (kind === "refs") return this.#read(repository, asked);
    return this.#branch(repository, asked);
  }

  #createRepository(body: Record<string, unknown>): Answer {
    const name = String(body["name"]);
    const namespace = String(body["storage_namespace"]);
    if (!namespace.startsWith(this.scheme)) {
      return failed(400, `failed to match required regex ^${this.scheme}: invalid namespace`);
    }
    if (this.repositories.has(name)) return failed(409, "error creating repository: not unique");
    const isReadOnly = body["read_only"] === true;
    const repository = this.create(name, {
      namespace,
      isReadOnly,
      defaultBranch: String(body["default_branch"]),
    });
    const { read_only: _, ...facts } = factsOf(repository).body as Record<string, unknown>;
    return { status: 201, body: facts };
  }

  #metadata(repository: Repository, { method, path, body }: Asked): Answer {
    const [, , , , type, id = ""] = path;
    if (type !== undefined) {
      const table = this.store.get(tableKey(repository.namespace, id));
      return table === undefined ? NO_DATA : { status: 200, bytes: table };
    }
    if (method === "GET") return { status: 200, body: repository.metadata };
    Object.assign(repository.metadata, body["metadata"]);
    return done;
  }

  /** Records a commit. Parents, generation and version are taken as they come. */
  #record(repository: Repository, body: Record<string, unknown>): Answer | undefined {
    if (body["metadata"] === undefined) return undefined;
    const commit = {
      id: String(body["commit_id"]),
      committer: String(body["committer"]),
      message: String(body["message"]),
      metaRangeId: String(body["metarange_id"]),
      creationDate: Number(body["creation_date"]),
      parents: body["parents"] as string[],
      metadata: body["metadata"] as Record<string, string>,
      generation: Number(body["generation"]),
      version: Number(body["version"]),
    };
    if (commitId(commit) !== commit.id) return failed(400, "commit id: invalid value: validation error");
    this.onRecord(commit.id);
    if (repository.commits.has(commit.id)) return failed(409, "commit already exists: not unique");
    repository.commits.set(commit.id, commit);
    return done;
  }

  async #branch(repository: Repository, { method, path, query, body }: Asked): Promise<Answer> {
    const [, , , name, action] = path;
    if (name === undefined) {
      if (method === "GET") {
        this.onList(repository);
        return listOf(repository, query);
      }
      const wanted = String(body["name"]);
      const source = String(body["source"]);
      const created = await repository.createBranch(wanted, source, body["hidden"] === true);
      if (created === "taken") return failed(409, "branch already exists: not unique");
      if (created === "no source") return failed(404, `source reference '${source}': not found`);
      return { status: 201, bytes: Buffer.from(repository.branches.get(wanted)?.commit ?? "") };
    }
    const branch = repository.branches.get(name);
    if (branch === undefined) return failed(404, "branch not found");
    if (method === "GET") return { status: 200, body: { commit_id: branch.commit, id: name } };
    const isClosed = this.closedBranches.has(name) && (method === "DELETE" || action === "hard_reset");
    if (isClosed) return failed(403, "cannot write to protected branch");
    if (method === "DELETE") {
      if (name === repository.defaultBranch) return failed(403, "cannot delete repository default branch");
      repository.deleteBranch(name);
      return done;
    }
    if (action === undefined) {
      await repository.update(name, "reset", "", () => ({ staged: new Map() }));
      return done;
    }
    const ref = query.get("ref") ?? "";
    const isDone = await repository.update(name, "hard_reset", ref, () => {
      const commit = repository.resolve(ref);
      return commit === undefined ? undefined : { commit };
    });
    return isDone ? done : failed(404, `hard-reset ${name} to ${ref}: not found`);
  }

  #read(repository: Repository, { path, query, object, range }: Asked): Answer {
    const [, , , ref = "", what] = path;
    const commit = repository.resolve(ref);
    if (commit === undefined) return failed(404, "ref: not found");
    if (what === "commits") return logOf(repository, commit, Number(query.get("amount")));
    const problem = problemOf(object);
    if (problem !== undefined) return failed(400, problem);
    const entry = repository.entryOf(commit, object);
    if (entry === undefined) return NOT_FOUND;
    if (entry === "no data") return NO_DATA;
    const bytes = this.store.get(entry.isFull ? entry.address : `${repository.namespace}/${entry.address}`);
    return bytes === undefined ? NO_DATA : rangeOf(bytes, entry.size, range);
  }
}

/** The reason why no path is such; undefined for one that may be. */
function problemOf(path: string): string | undefined {
  const { length } = pathBytes(path);
  if (length === 0) return 'parameter "path" in query has an error: empty value is not allowed';
  if (length <= LONGEST_PATH) return undefined;
  return `argument path: invalid value: validation error: ${length} is above maximum length (${LONGEST_PATH})`;
}

function rangeOf(bytes: Buffer, size: number, range: string | undefined): Answer {
  const headers = { "content-type": "application/octet-stream" };
  if (range === undefined) return { status: 200, bytes, headers, isCut: bytes.length < size };
  const [, from = 0, to = 0] = (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).map(Number);
  if (from >= size) return failed(416, "Requested Range Not Satisfiable");
  const part = bytes.subarray(from, to + 1);
  // The size is that of the entry: a byte that is not there ends the connection.
  return { status: 206, bytes: part, headers, isCut: part.length < to + 1 - from };
}

function configurationOf(scheme: string): object {
  const storage = {
    blockstore_description: "",
    blockstore_id: "",
    blockstore_namespace_ValidityRegex: `^${scheme}`,
    blockstore_namespace_example: `${scheme}example-bucket/`,
    blockstore_type: scheme.replace("://", ""),
    default_namespace_prefix: scheme,
    import_support: false,
    import_validity_regex: `^${scheme}`,
    pre_sign_multipart_upload: false,
    pre_sign_support: false,
    pre_sign_support_ui: false,
  };
  return {
    capabilities_config: {},
    storage_config: storage,
    storage_config_list: [],
    ui_config: {},
    version_config: { version: "dev", version_context: "lakeFS" },
  };
}

function factsOf(repository: Repository): Answer {
  const body = {
    creation_date: repository.createdAt,
    default_branch: repository.defaultBranch,
    id: repository.name,
    read_only: repository.isReadOnly,
    storage_id: "",
    storage_namespace: repository.namespace,
  };
  return { status: 200, body };
}

function listOf(repository: Repository, query: URLSearchParams): Answer {
  const [after, prefix] = [query.get("after") ?? "", query.get("prefix") ?? ""];
  const amount = Number(query.get("amount") ?? 100);
  const all = [...repository.branches]
    .filter(
      ([name, { isHidden }]) => name.startsWith(prefix) && (!isHidden || query.get("show_hidden") === "true"),
    )
    .map(([id, { commit }]) => ({ commit_id: commit, id }))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .filter(({ id }) => id > after);
  return pageOf(all.slice(0, amount), all.length > amount ? (all[amount - 1]?.id ?? "") : "");
}

function logOf(repository: Repository, commit: string, amount: number): Answer {
  let all: readonly LoggedCommit[];
  try {
    all = repository.log(commit);
  } catch {
    return failed(404, "commit not found");
  }
  const page = all.slice(0, amount).map((one) => ({
    committer: one.committer,
    creation_date: one.creationDate,
    generation: one.generation,
    id: one.id,
    message: one.message,
    meta_range_id: one.metaRangeId,
    metadata: one.metadata,
    parents: one.parents,
    version: one.version,
  }));
  return pageOf(page, all.length > amount ? (page.at(-1)?.id ?? "") : "");
}

function pageOf(results: readonly unknown[], next: string): Answer {
  const pagination = {
    has_more: next !== "",
    max_per_page: 1000,
    next_offset: next,
    results: results.length,
  };
  return { status: 200, body: { pagination, results } };
}

function send(response: ServerResponse, { status, body, bytes, isCut = false, headers = {} }: Answer): void {
  const content = bytes ?? (body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)));
  const length = content.length + (isCut ? 1 : 0);
  response.writeHead(status, { "content-type": "application/json", ...headers, "content-length": length });
  if (!isCut) return void response.end(content);
  response.write(content);
  response.flushHeaders();
  setImmediate(() => response.destroy());
}
