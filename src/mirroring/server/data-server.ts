/** A data server, called over HTTP: the source and the destination of mirrors. */

import type { LoggedCommit } from "../logged-commit.ts";
import type {
  BranchHead,
  Destination,
  ListedRepository,
  ObjectName,
  Presence,
  RepositoryFacts,
  Source,
} from "../ports.ts";
import { CallFailed } from "../ports.ts";
import type { ServerCall, ServerCalls } from "./calls.ts";
import { branchOf, commitOf, listedOf, pageOf, repositoryOf, schemesOf, textsOf } from "./shapes.ts";

const OK = 200;
const CREATED = 201;
const DONE = 204;
const PARTIAL = 206;
const FORBIDDEN = 403;
const MISSING = 404;
/** Answers of a server, or of a proxy before it, that takes no such path: too long, most likely. */
const NOT_SERVED = [400, 414, 431];
const TAKEN = 409;
const GONE = 410;
/** Largest table that is read, in bytes; a server splits ranges far below. */
const LARGEST_TABLE = 128 * 1024 * 1024;
const PAGE = "1000";
/** Most pages of a list: a million branches. */
const MOST_PAGES = 1_000;

/** A data server. */
export class DataServer implements Source, Destination {
  readonly #calls: ServerCalls;

  constructor(calls: ServerCalls) {
    this.#calls = calls;
  }

  async repository(name: string): Promise<RepositoryFacts | undefined> {
    const { status, value } = await this.#calls.json(read(name), OK, MISSING);
    return status === OK ? repositoryOf(value) : undefined;
  }

  branches(repository: string): Promise<readonly BranchHead[]> {
    return this.#branches(repository, {});
  }

  hiddenBranches(repository: string, prefix: string): Promise<readonly BranchHead[]> {
    return this.#branches(repository, { show_hidden: "true", prefix });
  }

  #branches(repository: string, query: Readonly<Record<string, string>>): Promise<BranchHead[]> {
    return this.#all(["repositories", repository, "branches"], query, branchOf);
  }

  repositories(): Promise<readonly ListedRepository[]> {
    return this.#all(["repositories"], {}, listedOf);
  }

  async schemes(): Promise<ReadonlySet<string> | undefined> {
    const call = { method: "GET", path: ["config"], again: true } as const;
    const { status, value } = await this.#calls.json(call, OK, FORBIDDEN, MISSING);
    return status === OK ? schemesOf(value) : undefined;
  }

  /** Every page of a list. */
  async #all<T>(
    path: readonly string[],
    query: Readonly<Record<string, string>>,
    itemOf: (value: unknown) => T,
  ): Promise<T[]> {
    const found: T[] = [];
    let after = "";
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const call = { method: "GET", path, again: true, query: { amount: PAGE, after, ...query } } as const;
      const { results, next } = pageOf((await this.#calls.json(call, OK)).value);
      for (const one of results) found.push(itemOf(one));
      if (next === undefined) return found;
      if (next === after) break;
      after = next;
    }
    throw new CallFailed(`the list ${path.join("/")} does not end`, OK, false);
  }

  async head(repository: string, branch: string): Promise<string | undefined> {
    const { status, value } = await this.#calls.json(read(repository, ["branches", branch]), OK, MISSING);
    return status === OK ? branchOf(value).commit : undefined;
  }

  async log(repository: string, commit: string, amount: number): Promise<LoggedCommit[] | undefined> {
    const call = read(repository, ["refs", commit, "commits"], { amount: String(amount) });
    const { status, value } = await this.#calls.json(call, OK, MISSING);
    return status === OK ? pageOf(value).results.map(commitOf) : undefined;
  }

  async table(repository: string, kind: "meta_range" | "range", id: string) {
    const call = { ...read(repository, ["metadata", "object", kind, id]), limit: LARGEST_TABLE };
    const { status, body, isCut } = await this.#calls.ask(call, OK, MISSING, GONE);
    if (status === GONE) return "gone";
    return status === OK && !isCut ? body : "damaged";
  }

  async object(repository: string, { commit, path, size }: ObjectName): Promise<Presence> {
    // The last byte: an object that was cut off answers for the first. An empty one has none, and is there or not.
    const headers = size > 0 ? { range: `bytes=${size - 1}-${size - 1}` } : {};
    const call = { ...read(repository, ["refs", commit, "objects"], { path }), headers };
    const { status, body, isCut } = await this.#calls.ask(call, OK, PARTIAL, GONE, 416, ...NOT_SERVED);
    if (status === GONE) return "gone";
    if (NOT_SERVED.includes(status)) return "not served";
    const isWhole = size > 0 ? status === PARTIAL && body.length === 1 : status === OK && body.length === 0;
    return isWhole && !isCut ? "there" : "damaged";
  }

  async create(
    name: string,
    { storageNamespace, defaultBranch }: Pick<RepositoryFacts, "storageNamespace" | "defaultBranch">,
  ): Promise<void> {
    // Without `bare` the server would make a first commit of its own.
    const body = {
      name,
      storage_namespace: storageNamespace,
      default_branch: defaultBranch,
      read_only: true,
    };
    const call = {
      method: "POST",
      path: ["repositories"],
      query: { bare: "true" },
      body,
      again: false,
    } as const;
    await this.#calls.ask(call, CREATED);
  }

  async metadata(repository: string): Promise<Readonly<Record<string, string>>> {
    return textsOf((await this.#calls.json(read(repository, ["metadata"]), OK)).value);
  }

  async setMetadata(repository: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    await this.#calls.ask(
      { ...write("POST", repository, ["metadata"], { metadata }), again: true },
      DONE,
      CREATED,
    );
  }

  async remove(repository: string): Promise<boolean> {
    const call = { ...write("DELETE", repository, []), query: { force: "true" } };
    return (await this.#calls.ask(call, DONE, MISSING)).status === DONE;
  }

  async record(repository: string, commit: LoggedCommit): Promise<boolean> {
    const body = {
      commit_id: commit.id,
      version: commit.version,
      committer: commit.committer,
      message: commit.message,
      metarange_id: commit.metaRangeId,
      creation_date: commit.creationDate,
      parents: commit.parents,
      // The server ends the connection where it is absent, though its schema lets it be.
      metadata: commit.metadata,
      generation: commit.generation,
      force: true,
    };
    // What it records is what its id says, so that it may come late or twice.
    const call = { ...write("POST", repository, ["commits"], body), again: true };
    return (await this.#calls.ask(call, DONE, CREATED, TAKEN)).status !== TAKEN;
  }

  async dropStaged(repository: string, branch: string): Promise<boolean> {
    const call = write("PUT", repository, ["branches", branch], { type: "reset", force: true });
    return (await this.#calls.ask(call, DONE, MISSING)).status === DONE;
  }

  async createBranch(
    repository: string,
    { name, source, hidden }: { readonly name: string; readonly source: string; readonly hidden: boolean },
  ): Promise<"created" | "taken" | "no source"> {
    const call = write("POST", repository, ["branches"], { name, source, hidden, force: true });
    const { status } = await this.#calls.ask(call, CREATED, MISSING, TAKEN);
    return status === CREATED ? "created" : status === TAKEN ? "taken" : "no source";
  }

  async pointBranch(repository: string, branch: string, to: string): Promise<boolean> {
    const query = { ref: to, force: "true" };
    const call = { ...write("PUT", repository, ["branches", branch, "hard_reset"]), query };
    return (await this.#calls.ask(call, DONE, MISSING)).status === DONE;
  }

  async deleteBranch(repository: string, branch: string): Promise<boolean> {
    const call = { ...write("DELETE", repository, ["branches", branch]), query: { force: "true" } };
    return (await this.#calls.ask(call, DONE, MISSING)).status === DONE;
  }
}

function read(repository: string, path: readonly string[] = [], query?: ServerCall["query"]): ServerCall {
  const whole = ["repositories", repository, ...path];
  return { method: "GET", path: whole, again: true, ...(query !== undefined && { query }) };
}

function write(
  method: "POST" | "PUT" | "DELETE",
  repository: string,
  path: readonly string[],
  body?: unknown,
): ServerCall {
  const whole = ["repositories", repository, ...path];
  return { method, path: whole, again: false, ...(body !== undefined && { body }) };
}
