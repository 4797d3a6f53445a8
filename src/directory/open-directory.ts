/** Builds the directory over a store: `directory.ts` is its contract. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { Guards } from "@svc-authorizer/policy/model/names.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import { Listeners } from "../store/listeners.ts";
import type { ReadSet, Snapshot, Store } from "../store/port.ts";
import { readRecord } from "../store/read-record.ts";
import { Authors } from "./author.ts";
import type { DirectoryContext } from "./context.ts";
import type { Directory, DirectoryChange } from "./directory.ts";
import { createHistory } from "./history/open-history.ts";
import { readAhead } from "./read/ahead/read-ahead.ts";
import { HolderLists } from "./read/holder-lists.ts";
import { nodeNames } from "./read/node-names.ts";
import { PolicyCache } from "./read/policy-cache.ts";
import { readGroupPrincipal, readPrincipal } from "./read/principals.ts";
import { survey } from "./read/survey.ts";
import { generateId as newId } from "./records/ids.ts";
import { LAYOUT, type MetaRecord } from "./records/layout.ts";
import { DURABLE_COST, openSecrets } from "./records/open-secrets.ts";
import type { KeyCost, QueuedMailBinding } from "./records/secrets.ts";
import { type HeldRevocations, holdRevocations } from "./revocations/hold-revocations.ts";
import type { RevokedState } from "./revocations/revoked-records.ts";
import { KeyWatch } from "./upkeep/key-watch.ts";
import { Maintenance } from "./upkeep/maintenance.ts";
import { Resealing } from "./upkeep/reseal.ts";
import { underLease } from "./upkeep/under-lease.ts";
import { applyPlanned, createBatches } from "./write/batches/batches.ts";
import { createCredentials } from "./write/credentials.ts";
import { createExternalPrincipals } from "./write/external-principals.ts";
import { createGroups } from "./write/groups.ts";
import { createIssuedSessions } from "./write/issued-sessions.ts";
import { judgeOf } from "./write/judging.ts";
import { createPasswords } from "./write/passwords.ts";
import { createPolicies } from "./write/policies.ts";
import { createProvisionedGroups } from "./write/provisioning/provisioned-groups.ts";
import { createProvisionedUsers } from "./write/provisioning/provisioned-users.ts";
import { createResources } from "./write/resources.ts";
import { createServiceUsers } from "./write/service-users.ts";
import { createSessions } from "./write/sessions.ts";
import { markAdministrator, markAnyAdministrator } from "./write/set-up-mark.ts";
import { createTokenClaims } from "./write/token-claims.ts";
import { Transaction } from "./write/transaction.ts";
import { createUsers } from "./write/users.ts";
import { Writer } from "./write/writer.ts";

/** Options of a directory. */
export interface DirectoryOptions {
  readonly store: Store;
  /** Product-name part of ARNs (`authorizer.partition`); a store keeps the one that it was first opened with. */
  readonly partition: string;
  /** Built-in services of the catalog; those of stored resource types count too. */
  readonly services: ReadonlySet<string>;
  /** Names of the catalog's resource types: resources of them can be registered; default none. */
  readonly resourceTypes?: ReadonlySet<string>;
  readonly guards: Guards;
  /** Limits of policies (`authorizer.limits`); defaults of the model where absent. */
  readonly limits?: Partial<PolicyLimits>;
  /** `auth.encrypt.secret_key`. */
  readonly secretKey: string;
  /** `authorizer.previous_secret_key`: opens what was encrypted before a change of the key. */
  readonly previousSecretKey?: string;
  /** Cost of scrypt for a new store. Only a store that never reaches a disk may be given less than the default. */
  readonly keyCost?: KeyCost;
  /** Time for which a change that others overtook is tried again (`authorizer.replication.commit_timeout`), in milliseconds. */
  readonly commitTimeoutMs?: number;
  /** Groups whose policies are remembered although no user in memory has them; at least and by default 64, at most 4,096. */
  readonly rememberedGroups?: number;
  /** False: another process does the background work on this store. Default true. */
  readonly upkeep?: boolean;
  /** Unix seconds; default the clock. */
  readonly now?: () => number;
  /** Unix milliseconds, for what is finer than dates: the end of sessions; default the clock. */
  readonly nowMs?: () => number;
  /** Makes internal ids: texts without "/" that never repeat; default 26 random characters in order of time. */
  readonly generateId?: () => string;
}

/** Encrypts the secrets of queued mails with the keys of this store. */
interface MailSecrets {
  /** The sealed text; it opens for this mail and recipient only. */
  seal(secret: string, binding: Omit<QueuedMailBinding, "kind">): string;
  /** "internal" when the text was sealed for another mail or key, or is damaged. */
  open(sealed: string, binding: Omit<QueuedMailBinding, "kind">): string;
}

/** An opened directory. */
export interface OpenedDirectory extends Directory {
  readonly mailSecrets: MailSecrets;
  /** Tells other nodes that this one runs and which keys of encryption it holds, until it is closed. */
  reportKeys(nodeName: string): Promise<void>;
  /** As {@link nodeNames}. */
  nodeNames(): Promise<readonly (string | undefined)[]>;
  /** Tells listeners that anything may have changed: for who puts the store back to an earlier state. */
  storeReplaced(): void;
  /** Revokes again what a state that was put back has revived; `endAll`: the sessions of all users end. */
  holdRevocations(revoked: readonly RevokedState[], endAll: boolean): Promise<HeldRevocations>;
  /**
   * Judges the right of the author of the work that runs to a write of another folder, in a state of the store.
   * @returns what that depends on: the write has to be a commit that read this
   */
  judgeIn(this: void, snapshot: Snapshot): Promise<ReadSet>;
  /** Looks for background work: for who commits what another process of the service asked for. */
  wakeUpkeep(): void;
}

/** Refuses the layout of a newer version; marks a new store with this one. */
async function checkLayout(store: Store): Promise<void> {
  const name = { partition: "meta", key: "layout" };
  const { stored, unchanged } = await readRecord(store, name);
  if (stored === undefined) {
    const value = JSON.stringify({ layout: LAYOUT } satisfies MetaRecord);
    try {
      await store.commit({ expect: [unchanged], put: [{ ...name, value }] });
    } catch (error) {
      // Another process was first, which may be of a newer version.
      if (!isErrorCode(error, "conflict")) throw error;
      await checkLayout(store);
    }
    return;
  }
  const { layout = 0 } = parseJsonText(stored.value) as MetaRecord;
  if (layout > LAYOUT) {
    const message = `the directory in this store has layout ${layout}, this program knows up to ${LAYOUT}; use a newer program`;
    throw new AuthorizerError("invalid_request", message);
  }
}

/**
 * Opens the directory in a store: opens the secrets, takes up sweeps that were not finished. Throws AuthorizerError
 * "invalid_request" for a secret key or a partition that does not fit the store.
 */
export async function openDirectory(options: DirectoryOptions): Promise<OpenedDirectory> {
  const { store, previousSecretKey, keyCost = DURABLE_COST } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1_000));
  await checkLayout(store);
  const secrets = await openSecrets({
    store,
    secretKey: options.secretKey,
    previousSecretKey,
    partition: options.partition,
    cost: keyCost,
    records: options.upkeep !== false,
    now,
  });
  const keys = new KeyWatch(store, secrets.box);
  const notifier = new Listeners<DirectoryChange>();
  const holderLists = new HolderLists(options.rememberedGroups);
  const unsubscribe = store.subscribe(({ revision, change }) => {
    holderLists.tell(revision, change);
    if (change !== undefined) notifier.notify(change);
  });
  const policies = new PolicyCache();
  const authors = new Authors();
  const judge = judgeOf(store, authors, now);
  const writer = new Writer({
    store,
    policies,
    authors,
    judge,
    complete: markAdministrator,
    completeStage: markAnyAdministrator,
    deadlineMs: options.commitTimeoutMs,
  });
  const leased = underLease(store, "upkeep");
  const maintenance = new Maintenance({ store: leased, resealing: new Resealing(leased, secrets), now });
  const context: DirectoryContext = {
    store,
    policies,
    holderLists,
    writer,
    authors,
    secrets: secrets.box,
    rules: {
      partition: options.partition,
      services: options.services,
      resourceTypes: options.resourceTypes ?? new Set(),
      guards: options.guards,
      limits: options.limits ?? {},
    },
    now,
    nowMs: options.nowMs ?? Date.now,
    generateId: options.generateId ?? newId,
    wakeMaintenance: () => {
      if (options.upkeep !== false) maintenance.wake();
    },
    restingMaintenance: (work) => (options.upkeep === false ? work() : maintenance.resting(work)),
  };
  context.wakeMaintenance();
  return assemble({ context, judge, notifier, maintenance, keys, unsubscribe });
}

interface DirectoryParts {
  readonly context: DirectoryContext;
  readonly judge: (tx: Transaction) => Promise<void>;
  readonly notifier: Listeners<DirectoryChange>;
  readonly maintenance: Maintenance;
  readonly keys: KeyWatch;
  readonly unsubscribe: () => void;
}

function assemble(parts: DirectoryParts): OpenedDirectory {
  const { context, judge, notifier, maintenance, keys, unsubscribe } = parts;
  return {
    users: createUsers(context),
    groups: createGroups(context),
    policies: createPolicies(context),
    credentials: createCredentials(context),
    externalPrincipals: createExternalPrincipals(context),
    tokenClaims: createTokenClaims(context),
    sessions: createSessions(context),
    issuedSessions: createIssuedSessions(context),
    passwords: createPasswords(context),
    serviceUsers: createServiceUsers(context),
    resources: createResources(context),
    batches: createBatches(context),
    provisioning: (isProtected) => ({
      ...createProvisionedUsers(context, isProtected),
      ...createProvisionedGroups(context, isProtected),
    }),
    history: createHistory(context),
    applyPlanned: (plan, options) => applyPlanned(context, plan, options),
    mailSecrets: {
      seal: (secret, binding) => context.secrets.seal(secret, { kind: "mail", ...binding }),
      open: (sealed, binding) => context.secrets.open(sealed, { kind: "mail", ...binding }),
    },
    actingFor: (author, work) => context.authors.actingFor(author, work),
    alsoJudged: (judge, work) => context.authors.alsoJudged(judge, work),
    writingBeside: (beside, work) => context.authors.writingBeside(beside, work),
    principal: (username) => readPrincipal(context, username),
    principalOfGroups: (names) => readGroupPrincipal(context, names),
    readAhead: (visitor, signal) => readAhead(context, visitor, signal),
    survey: (work, pause) => survey(context, work, pause),
    onChange: (listener) => notifier.subscribe(listener),
    tellsEveryChange: () => context.store.tellsEveryChange?.() ?? true,
    reportKeys: (name) => keys.report(name),
    nodeNames: () => nodeNames(context.store),
    async health() {
      await context.store.health();
      await keys.health();
    },
    async close() {
      await maintenance.close();
      await keys.close();
      unsubscribe();
    },
    storeReplaced() {
      context.holderLists.clear();
      notifier.notify({ all: true });
      maintenance.wake();
    },
    holdRevocations: (revoked, endAll) => holdRevocations(context, revoked, endAll),
    judgeIn: async (snapshot) => {
      const tx = new Transaction(snapshot, context.policies);
      await judge(tx);
      return tx.toCheck().reads;
    },
    wakeUpkeep: () => context.wakeMaintenance(),
  };
}
