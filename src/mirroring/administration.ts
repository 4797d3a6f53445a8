/** Creates, shows, edits and deletes mirrors for people; the passes over them are made elsewhere (`runner`). */

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { DamagedRecord, type Store } from "../store/port.ts";
import { type BranchPatterns, BranchSelection } from "./branch-selection.ts";
import type { Mirror, MirrorReport } from "./mirror.ts";
import { type JudgeWrite, MirrorRecords, type RecordedMirror } from "./mirror-records.ts";
import { attended, reportOf, unknownRegion } from "./mirror-report.ts";
import { isRepositoryName, namespaceProblem, overlaps, schemeOf } from "./names.ts";
import { CallFailed, type RepositoryFacts } from "./ports.ts";
import { Progress } from "./progress/progress.ts";
import type { ServerAccesses } from "./servers.ts";

/** Time for which a deletion is waited for, in milliseconds. */
const DELETED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;
const RETRY_AFTER_S = 10;
const MOST_PATTERNS = 100;
const LONGEST_PATTERN = 256;

/** A mirror that is asked for. */
export interface AskedMirror {
  readonly source: string;
  readonly name: string;
  readonly region: string;
  readonly storageNamespace: string;
  /** The user who asks. */
  readonly actor: string;
}

/** A mirror with everything that is known of it. */
export interface ShownMirror {
  readonly mirror: Mirror;
  readonly report: MirrorReport;
  /** Whether the destination asks this service about each write. */
  readonly isProtected: boolean;
}

/** Parts of the use cases. */
interface AdministrationParts {
  readonly store: Store;
  readonly servers: ServerAccesses;
  /** Judges the right of whoever asks, in the state of each write. */
  readonly judge: JudgeWrite;
  /** `authorizer.mirroring.scan_interval`, in milliseconds. */
  readonly scanMs: number;
}

/** The use cases. */
export class MirrorAdministration {
  readonly #parts: AdministrationParts;
  readonly #records: MirrorRecords;

  constructor(parts: AdministrationParts) {
    this.#parts = parts;
    this.#records = new MirrorRecords(parts.store, undefined, parts.judge);
  }

  /**
   * Writes a new mirror, which the passes create at the destination.
   * @throws AuthorizerError "invalid_request" with every problem, "not_found" for an unknown source, "already_exists",
   * "unavailable" where a data server does not answer
   */
  async create(asked: AskedMirror): Promise<ShownMirror> {
    const { source, name, region, storageNamespace, actor } = asked;
    const problems = this.#problemsOf(asked);
    if (problems.length > 0) throw refused(problems);
    // A name that no repository has could be a pattern in a policy.
    if (!isRepositoryName(source)) throw unknownSource(source);
    await this.#records.assertNameFree(name);
    const mirror: Mirror = {
      uid: randomUUID(),
      name,
      region,
      sourceRepository: source,
      storageNamespace,
      branches: { include: [], exclude: [] },
      createdAt: Math.floor(Date.now() / 1_000),
      createdBy: actor,
    };
    try {
      await answered(() => this.#assertPossible(mirror));
      await this.#add(mirror);
    } catch (error) {
      // It has looked at the servers as the mirror's user; whose outcome is not known may be a mirror.
      if (!isErrorCode(error, "outcome_unknown")) await this.#parts.servers.forget(mirror);
      throw error;
    }
    return this.#shown(mirror);
  }

  /** Throws where one of the data servers has something that is in the way. */
  async #assertPossible(mirror: Mirror): Promise<void> {
    const { name, region, sourceRepository, storageNamespace } = mirror;
    const { source, destinations } = this.#parts.servers.for(mirror, true);
    if ((await source.repository(sourceRepository)) === undefined) throw unknownSource(sourceRepository);
    // ARNs carry no region: a name is one repository, wherever it is.
    for (const server of [source, ...destinations.values()]) {
      if ((await server.repository(name)) !== undefined) throw taken(`there is a repository ${name}`);
    }
    const destination = destinations.get(region);
    assertServed(storageNamespace, await destination?.schemes());
    assertApart(storageNamespace, (await destination?.repositories()) ?? []);
  }

  /** Writes the record, where no other mirror is in its way. */
  #add(mirror: Mirror): Promise<void> {
    const { name, region, sourceRepository: source, storageNamespace } = mirror;
    return this.#records.add(mirror, (others) => {
      if (others.some((one) => one.name === source)) throw taken(`${source} is a mirror itself`);
      if (others.some((one) => one.sourceRepository === name))
        throw taken(`${name} is the source of a mirror`);
      const near = others.filter((one) => one.region === region);
      assertApart(storageNamespace, near);
    });
  }

  /** Names of the regions that may have mirrors. */
  get regions(): readonly string[] {
    return this.#parts.servers.regions;
  }

  /** All mirrors in the order of their names. */
  async all(): Promise<readonly Mirror[]> {
    const all = await this.#records.all();
    return all.filter(({ goneAt }) => goneAt === undefined).map(({ mirror }) => mirror);
  }

  /**
   * The mirrors of a source in the order of their names; throws "not_found" for an unknown source without any, where somebody
   * may ask the source.
   */
  async list(source: string): Promise<readonly Mirror[]> {
    const found = (await this.all()).filter((one) => one.sourceRepository === source);
    if (found.length > 0) return found;
    const { source: server } = this.#parts.servers;
    if (server === undefined) return [];
    const exists = await answered(() => server.repository(source));
    if (exists === undefined) throw unknownSource(source);
    return [];
  }

  /** Everything that is known of a mirror; throws "not_found". */
  async get(source: string, name: string): Promise<ShownMirror> {
    return this.#shown((await this.#found(source, name)).mirror);
  }

  /** As {@link get}, of one that was listed. */
  show(mirror: Mirror): Promise<ShownMirror> {
    return this.#shown(mirror);
  }

  /** Replaces the patterns of branches; throws "invalid_request", "not_found", "conflict", "unavailable". */
  async setBranches(
    source: string,
    name: string,
    branches: BranchPatterns,
    actor: string,
  ): Promise<ShownMirror> {
    const found = await this.#found(source, name);
    if (found.mirror.isDeleting === true)
      throw new AuthorizerError("conflict", `the mirror ${name} is being deleted`);
    const problems = patternProblems(branches);
    if (problems.length > 0) throw refused(problems);
    const server = this.#parts.servers.for(found.mirror).source;
    const facts = await answered(() => server.repository(source));
    if (facts !== undefined && !new BranchSelection(branches).has(facts.defaultBranch)) {
      const pointer = new BranchSelection({ include: [], exclude: branches.exclude }).has(facts.defaultBranch)
        ? "/include"
        : "/exclude";
      throw refused([{ pointer, message: `the default branch ${facts.defaultBranch} must be mirrored` }]);
    }
    const mirror = { ...found.mirror, branches };
    await this.#records.replace(found, mirror, actor);
    return this.#shown(mirror);
  }

  /**
   * Deletes a mirror and waits for it. True once it is gone, false while its data server has not answered.
   * @param forget true: nothing is asked of the data server, which may be lost
   * @throws AuthorizerError "not_found"
   */
  async delete(source: string, name: string, forget: boolean, actor: string): Promise<boolean> {
    const found = await this.#found(source, name);
    if (forget) {
      // First: where that fails, the mirror is there to be forgotten again.
      await this.#parts.servers.forget(found.mirror);
      await this.#records.remove(found, actor);
      // A pass under way may have made it again until the record was gone.
      await this.#parts.servers.forget(found.mirror);
      // The mirror is gone with its record: what cannot be removed of its progress now, the next start removes.
      await Progress.forget(this.#parts.store, found.mirror.uid, found.unchanged).catch(() => {});
      return true;
    }
    if (found.mirror.isDeleting !== true)
      await this.#records.replace(found, { ...found.mirror, isDeleting: true }, actor);
    for (let waited = 0; waited < DELETED_WITHIN_MS; waited += LOOK_EVERY_MS) {
      this.#parts.store.follow?.();
      const now = await this.#records.get(name);
      if (now === undefined || now.mirror.uid !== found.mirror.uid) return true;
      await wait(LOOK_EVERY_MS);
    }
    return false;
  }

  async #found(source: string, name: string): Promise<RecordedMirror> {
    const found = await this.#records.get(name);
    if (found?.mirror.sourceRepository === source) return found;
    throw new AuthorizerError("not_found", `${source} has no mirror ${JSON.stringify(name)}`);
  }

  async #shown(mirror: Mirror): Promise<ShownMirror> {
    const report = await this.#reportOf(mirror);
    const isProtected = await this.#parts.servers.isProtected(mirror.region);
    if (mirror.isDeleting === true) return { mirror, report: { ...report, phase: "deleting" }, isProtected };
    if (this.regions.includes(mirror.region)) return { mirror, report, isProtected };
    const reason = unknownRegion(mirror.region);
    return { mirror, report: { ...report, phase: "failed", reason }, isProtected };
  }

  async #reportOf(mirror: Mirror): Promise<MirrorReport> {
    const { store, scanMs } = this.#parts;
    const nowMs = Date.now();
    try {
      const report = reportOf(await Progress.stateOf(store, mirror.uid), nowMs);
      return attended(report, mirror, { nowMs, scanMs });
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error;
      const reason = `${error.message} Restore a backup, or delete the mirror and create it anew`;
      return { ...reportOf(undefined, nowMs), phase: "failed", reason };
    }
  }

  #problemsOf({ source, name, region, storageNamespace }: AskedMirror): Problem[] {
    const problems: Problem[] = [];
    if (!isRepositoryName(name)) {
      const message = "must be 3 to 63 lower-case letters, digits and -, not - first";
      problems.push({ pointer: "/name", message });
    }
    if (!this.regions.includes(region))
      problems.push({ pointer: "/region", message: `must be one of ${this.regions.join(", ")}` });
    const wrong = namespaceProblem(storageNamespace);
    if (wrong !== undefined) problems.push({ pointer: "/storage_namespace", message: wrong });
    if (problems.length === 0 && name === source) throw taken(`${name} is the source`);
    return problems;
  }
}

/** Turns the failure of a data server into an error that callers get. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    if (error.cause instanceof AuthorizerError) throw error.cause;
    const message = `a data server does not answer as it must: ${error.message}`;
    throw new AuthorizerError("unavailable", message, { retryAfterSeconds: RETRY_AFTER_S });
  }
}

function assertApart(
  namespace: string,
  others: readonly (Pick<RepositoryFacts, "storageNamespace"> & { readonly name: string })[],
): void {
  const near = others.find((one) => overlaps(one.storageNamespace, namespace));
  if (near === undefined) return;
  const message = `is that of the repository ${near.name}, or one of both is inside the other`;
  throw refused([{ pointer: "/storage_namespace", message }]);
}

/** Throws where the data server does not take namespaces of that scheme: it would never make the repository. */
function assertServed(namespace: string, schemes: ReadonlySet<string> | undefined): void {
  if (schemes === undefined || schemes.has(schemeOf(namespace))) return;
  const known = [...schemes].map((scheme) => `${scheme}://`).join(" or ");
  const message = `must begin with ${known}, as those of the region's data server`;
  throw refused([{ pointer: "/storage_namespace", message }]);
}

function patternProblems({ include, exclude }: BranchPatterns): Problem[] {
  const problems: Problem[] = [];
  for (const [field, patterns] of Object.entries({ include, exclude })) {
    if (patterns.length > MOST_PATTERNS)
      problems.push({ pointer: `/${field}`, message: `must have at most ${MOST_PATTERNS} patterns` });
    for (const [at, pattern] of patterns.slice(0, MOST_PATTERNS).entries()) {
      if (pattern !== "" && pattern.length <= LONGEST_PATTERN) continue;
      problems.push({
        pointer: `/${field}/${at}`,
        message: `must have 1 to ${LONGEST_PATTERN} characters`,
      });
    }
  }
  return problems;
}

function refused(problems: readonly Problem[]): AuthorizerError {
  const message = problems.map(({ pointer, message }) => `${pointer}: ${message}`).join("; ");
  return new AuthorizerError("invalid_request", message, { problems });
}

function unknownSource(source: string): AuthorizerError {
  return new AuthorizerError("not_found", `the source has no repository ${JSON.stringify(source)}`);
}

function taken(message: string): AuthorizerError {
  return new AuthorizerError("already_exists", message);
}
