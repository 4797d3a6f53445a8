/** The past of a directory: who changed what, earlier versions, and going back to them (spec/journal §4). */

import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { LongList } from "../compact/long-list.ts";
import type { CommittedChange, LogHead, Thing } from "../store/port.ts";
import type { DirectoryState, StateView } from "./batch.ts";
import type { LostChanges, LostReport } from "./lost-changes.ts";

export type { Thing };

/** A part of a list that goes back in time. */
export interface PastPage {
  /** Only entries with lower revisions; absent: from the newest on. */
  readonly before?: number;
  /** Most entries that are read, 1…100. */
  readonly amount: number;
}

/** A page, newest first. */
export interface PastResults<T> {
  readonly results: readonly T[];
  /** The position that the next page begins below; undefined on the last one. */
  readonly next: string | undefined;
}

/** An entry that is about a thing. Names of other things are not in it. */
export interface EntryAbout {
  readonly revision: number;
  /** `N.LOG.ENTRY`. */
  readonly position: string;
  /** RFC 3339. */
  readonly at: string;
  /** Names of those who asked for it. */
  readonly actors: readonly string[];
  /** Kinds of the things that were touched together; `all` where they were too many to be named. */
  readonly touched: readonly ("users" | "groups" | "policies" | "resources" | "all")[];
}

/** A version of a policy: the writing or the removal of it. */
export interface PolicyVersion {
  /** Of the entry that wrote it. */
  readonly revision: number;
  /** `N.LOG.ENTRY` of that entry; `N.LOG` where it is no longer kept. */
  readonly position: string;
  /** RFC 3339; undefined where the entry is no longer kept. */
  readonly at: string | undefined;
  readonly actors: readonly string[];
  /** As it was written; undefined: it was removed. */
  readonly policy: Policy | undefined;
  /** True: an earlier version wrote it, which may have dropped members of its statements (spec/evaluation §11.1). */
  readonly partial: boolean;
}

/** Kinds of what a restore changes. */
export type RestoredKind =
  | "user"
  | "group"
  | "policy"
  | "membership"
  | "attachment"
  | "external principal"
  | "resource type"
  | "resource"
  | "access key"
  | "password";

/** One thing that a restore changes. */
export interface RestoredThing {
  readonly change: "create" | "replace" | "remove";
  readonly kind: RestoredKind;
  readonly name: string;
}

/** The result of a restore. */
export interface RestoreReport {
  /** Revision whose state is in force again. */
  readonly from: number;
  readonly changes: LongList<RestoredThing>;
  /** Access keys that could not be restored: their secrets open with no present key, or another user has the id. */
  readonly lostKeys: LongList<string>;
  /** Users whose login tokens end. */
  readonly endedSessions: LongList<string>;
  /** Things that were revoked since: they stay so, or are in force again where revocations are forgotten. */
  readonly revocations: LongList<Revocation>;
}

/** Something that was revoked. */
export interface Revocation {
  readonly kind: "deleted user" | "inactive user" | "access key" | "external principal";
  readonly name: string;
}

/** Options of a restore. */
export interface RestoreOptions {
  /**
   * Also passwords that were changed since; where revocations are forgotten, access keys and external principals that
   * were changed or removed since, too.
   */
  readonly withCredentials: boolean;
  /** False: who was made inactive since stays so, and who was deleted since comes back inactive. */
  readonly forgetRevocations: boolean;
  /** True: only find out what would change. */
  readonly dryRun: boolean;
}

/** The past of a directory. */
export interface DirectoryHistory {
  readonly head: LogHead;
  /** The oldest revision that can be read. */
  keptFrom(): Promise<number>;
  /** Entries after a revision, oldest first; undefined where some are no longer kept. */
  entries(after: number, limit: number): Promise<readonly CommittedChange[] | undefined>;
  /**
   * The revision of the last entry that is not later than a time.
   * @throws AuthorizerError "not_found" where that state is no longer kept
   */
  revisionAt(time: Date): Promise<number>;
  /** Everything at a revision; "not_found" where it is not kept. `secrets: true` decrypts credentials. */
  state(revision: number, options: { readonly secrets: boolean }): Promise<DirectoryState>;
  /** Runs `look` on the state at a revision, of which it reads parts; as {@link state} otherwise. */
  viewing<T>(
    revision: number,
    options: { readonly secrets: boolean },
    look: (view: StateView) => Promise<T>,
  ): Promise<T>;
  /** Entries about a thing, newest first. */
  about(thing: Thing, page: PastPage): Promise<PastResults<EntryAbout>>;
  /** Versions of a policy, newest first; of a page that read `amount` entries, some may be of other things only. */
  policyVersions(name: string, page: PastPage): Promise<PastResults<PolicyVersion>>;
  /** The version of a policy that an entry wrote; "not_found" where there is none, else throws as {@link revisionOf}. */
  policyVersion(name: string, position: string): Promise<PolicyVersion & { readonly policy: Policy }>;
  /**
   * The revision of a position (`N.LOG.ENTRY`), or of a number alone.
   * @throws AuthorizerError "invalid_request", "other_log" or "went_back" where the log has no such entry
   */
  revisionOf(position: string): Promise<number>;
  /** As {@link state}, of a position; throws as {@link revisionOf}. */
  stateAt(position: string, options: { readonly secrets: boolean }): Promise<DirectoryState>;
  /**
   * Makes users, groups, policies, memberships, attachments, external ids, resource types and resources what they were
   * at a revision, in one commit. Who was deleted since comes back with a new internal id. The login tokens of the
   * users that it touches end.
   * @throws AuthorizerError "not_found" for a revision that is not kept, "invalid_request" where it would leave nobody
   * in `Admins` or where what was then is not permitted now
   */
  restore(revision: number, options: RestoreOptions): Promise<RestoreReport>;
  /**
   * Makes again what the log lost, as far as nothing that it wrote was written since, in one commit. Things of one entry are
   * made again together or not at all.
   * @throws AuthorizerError "invalid_request" where it is of another log or past, or nobody can say what was changed since,
   * or it would leave no administrator
   */
  applyLost(lost: LostChanges, options: { readonly dryRun: boolean }): Promise<LostReport>;
}
