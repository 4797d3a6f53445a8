/**
 * Ports of the two data servers: exactly the calls that mirroring makes (spec/mirroring §3). `server` implements both. Every
 * method throws {@link CallFailed} where the server gives no answer that settles the call.
 */

import type { LoggedCommit } from "./logged-commit.ts";

/** A call of a data server that was not answered as it must be. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  /** Status of the answer; undefined: there was none. */
  readonly status: number | undefined;
  /** True where the server may have done what was asked, or may do it later. */
  readonly isOutcomeUnknown: boolean;

  constructor(message: string, status: number | undefined, isOutcomeUnknown: boolean, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/** True for a call that the server understood and does not do: one on another branch may succeed. */
export function isRefusal(error: unknown): error is CallFailed {
  return (
    error instanceof CallFailed && !error.isOutcomeUnknown && [400, 403, 409, 412].includes(error.status ?? 0)
  );
}

/** A repository. */
export interface RepositoryFacts {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly storageNamespace: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
}

/** A repository of a list. */
export interface ListedRepository {
  readonly name: string;
  readonly storageNamespace: string;
}

/** A branch and the commit that it points to. */
export interface BranchHead {
  readonly name: string;
  readonly commit: string;
}

/**
 * Whether data is there. `gone`: the server says that the store has none (410); `damaged`: the server says that it has it,
 * and what came is not whole; `not served`: the server does not take the object's path.
 */
export type Presence = "there" | "gone" | "damaged" | "not served";

/** An object of a commit. */
export interface ObjectName {
  readonly commit: string;
  /** Its bytes: a data server takes paths that are not UTF-8. */
  readonly path: Buffer;
  /** Bytes. */
  readonly size: number;
}

/** Looks at the data of a repository. */
export interface DataLooks {
  /** The table of a metarange or a range, or why there is none: `gone` is said for 410 alone. */
  table(repository: string, kind: "meta_range" | "range", id: string): Promise<Buffer | "gone" | "damaged">;
  /** Reads the last byte of an object. */
  object(repository: string, object: ObjectName): Promise<Presence>;
}

/** Either server. */
interface EitherServer extends DataLooks {
  /** undefined where there is no such repository. */
  repository(name: string): Promise<RepositoryFacts | undefined>;
  /** All branches that are not hidden. */
  branches(repository: string): Promise<readonly BranchHead[]>;
  /** The commit that a branch points to; undefined where there is no such branch. */
  head(repository: string, branch: string): Promise<string | undefined>;
}

/** The server with the source repository. */
export interface Source extends EitherServer {
  /**
   * A part of the history of a commit, with the commit itself, at most `amount` commits; by creation date, so that what is
   * missing may be anywhere in it. undefined where there is no such commit.
   */
  log(repository: string, commit: string, amount: number): Promise<readonly LoggedCommit[] | undefined>;
}

/** The server with the mirror. */
export interface Destination extends EitherServer {
  /** All repositories that the key may list. */
  repositories(): Promise<readonly ListedRepository[]>;
  /** Schemes of storage namespaces that the server takes; undefined where it does not say. */
  schemes(): Promise<ReadonlySet<string> | undefined>;
  /** Creates an empty repository that is read-only; throws with status 409 where the name is taken. */
  create(name: string, facts: Pick<RepositoryFacts, "storageNamespace" | "defaultBranch">): Promise<void>;
  /** Metadata of a repository. */
  metadata(repository: string): Promise<Readonly<Record<string, string>>>;
  setMetadata(repository: string, metadata: Readonly<Record<string, string>>): Promise<void>;
  /** Deletes a repository once; false where there is none. What the store has stays. */
  remove(repository: string): Promise<boolean>;
  /** Records a commit; false where it was recorded before. */
  record(repository: string, commit: LoggedCommit): Promise<boolean>;
  /** Hidden branches whose names begin with a text. */
  hiddenBranches(repository: string, prefix: string): Promise<readonly BranchHead[]>;
  /** Drops what is staged on a branch; false where there is no such branch. */
  dropStaged(repository: string, branch: string): Promise<boolean>;
  /**
   * Creates a branch. `taken`: there is one of the name; `no source`: there is no such branch or commit to create it at.
   * @param source a branch or a commit
   */
  createBranch(
    repository: string,
    branch: { readonly name: string; readonly source: string; readonly hidden: boolean },
  ): Promise<"created" | "taken" | "no source">;
  /** Points a branch at what another one points to; false where one of both does not exist. */
  pointBranch(repository: string, branch: string, to: string): Promise<boolean>;
  /** Deletes a branch; false where there is none. */
  deleteBranch(repository: string, branch: string): Promise<boolean>;
}
