/** Looks through a whole store for records of the directory that contradict each other. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { unknownMember } from "@svc-authorizer/policy/model/policy-members.ts";
import { TextMap } from "../../compact/text-map.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { everyRecord } from "../../store/every-record.ts";
import { DamagedRecord, type Snapshot, type Store, withSnapshot } from "../../store/port.ts";
import type { Found } from "../read/reader.ts";
import type { Partition, RecordTypes } from "../records/layout.ts";
import { openExistingSecrets } from "../records/open-secrets.ts";
import { type Links, linksOf } from "../records/record-links.ts";
import { SEALED } from "./reseal.ts";

/** A contradiction. */
export interface StoreFinding {
  /** `unknown_member`: a statement has a member of a later version, and denies everything. `secret`: it cannot be opened. `damaged`: its bytes are not those that were written. */
  readonly kind: "orphan" | "mismatch" | "duplicate" | "unreadable" | "secret" | "damaged" | "unknown_member";
  readonly partition: string;
  readonly key: string;
  readonly message: string;
}

const ENTITIES = ["user", "group", "policy"] as const;
const LINKED = [
  "user",
  "external_id",
  "email",
  "folded_name",
  "user_group",
  "group_user",
  "user_policy",
  "group_policy",
  "policy_holder",
  "key",
  "user_key",
  "principal",
  "user_principal",
  "session",
  "password",
  "claim",
  "claim_expiry",
] as const;
const PLAIN = [
  "meta",
  "key_expiry",
  "resource_type",
  "resource",
  "sweep",
  "applied",
  "provisioned",
  "issued",
  "issued_expiry",
] as const;

const PAGE = 1_000;

/** Whether the sealed secret of a record opens. */
type SecretTest = (partition: string, key: string, record: unknown) => boolean;

class StoreCheck {
  readonly findings: StoreFinding[] = [];
  /** Names of living entities by id. */
  readonly #names = new TextMap();
  readonly #waitingForSweep = new Set<string>();
  readonly #snapshot: Snapshot;
  readonly #opens: SecretTest | undefined;

  constructor(snapshot: Snapshot, opens: SecretTest | undefined) {
    this.#snapshot = snapshot;
    this.#opens = opens;
  }

  async run(): Promise<void> {
    for (const partition of PLAIN) await this.#each(partition, ({ key }) => this.#notePlain(partition, key));
    for (const partition of ENTITIES) {
      await this.#each(partition, ({ key, record }) => {
        this.#noteEntity(partition, key, record.id);
        if (partition === "policy") this.#checkMembers(key, record as RecordTypes["policy"]);
      });
    }
    for (const partition of LINKED) {
      await this.#each(partition, async (found) => {
        try {
          await this.#checkLinks(partition, found);
        } catch (error) {
          // What reads a field as a text it is not throws so; a failing store does not.
          if (!(error instanceof TypeError)) throw error;
          this.#add("unreadable", partition, found.key, "it or its counterpart has fields of another type");
        }
      });
    }
    if (this.#opens !== undefined)
      for (const { partition } of SEALED) await this.#checkSecrets(partition, this.#opens);
  }

  #notePlain(partition: Partition, key: string): void {
    if (partition === "sweep") this.#waitingForSweep.add(key);
  }

  #noteEntity(partition: Partition, key: string, id: unknown): void {
    if (typeof id !== "string" || id === "") {
      this.#add("unreadable", partition, key, "the record has no internal id");
      return;
    }
    if (!this.#names.add(id, key))
      this.#add("duplicate", partition, key, `another entity has the internal id ${id}`);
    if (this.#waitingForSweep.has(id)) {
      this.#add("mismatch", partition, key, "it exists and waits to be swept as deleted");
    }
  }

  #checkMembers(key: string, { statement }: RecordTypes["policy"]): void {
    if (!Array.isArray(statement)) return;
    for (const [index, one] of statement.entries()) {
      const unknown = typeof one === "object" && one !== null ? unknownMember(one) : undefined;
      if (unknown === undefined) continue;
      const message = `its statement ${index} has the member ${JSON.stringify(unknown)}, which this version does not know: it denies everything`;
      this.#add("unknown_member", "policy", key, message);
    }
  }

  async #checkLinks<P extends Partition>(partition: P, { key, record }: Found<P>): Promise<void> {
    const links: Links = linksOf(partition, key, record, (id) => this.#names.get(id));
    const dead = links.ids.filter(({ id, name }) => {
      const actual = this.#names.get(id);
      return actual === undefined || (name !== undefined && actual !== name);
    });
    if (dead.length > 0) {
      // What was deleted is removed by its sweep; anything else was left behind.
      if (dead.every(({ id }) => !this.#waitingForSweep.has(id))) {
        this.#add("orphan", partition, key, `refers to ${dead[0]!.id}, which does not exist`);
      }
      return;
    }
    for (const mirror of links.mirrors) {
      const other = await this.#get(mirror.partition, mirror.key);
      if (other !== undefined && mirror.matches(other)) continue;
      const state = other === undefined ? "is missing" : "says otherwise";
      this.#add("mismatch", partition, key, `its counterpart ${mirror.partition} ${mirror.key} ${state}`);
    }
  }

  /** Partitions with secrets are partly another room's: of them only the secret is looked at. */
  async #checkSecrets(partition: string, opens: SecretTest): Promise<void> {
    await this.#each(partition as Partition, ({ key, record }) => {
      if (opens(partition, key, record)) return;
      this.#add(
        "secret",
        partition,
        key,
        "its secret opens with no configured key: sealed for another record or key, or damaged",
      );
    });
  }

  async #each<P extends Partition>(
    partition: P,
    visit: (found: Found<P>) => void | Promise<void>,
  ): Promise<void> {
    for await (const found of everyRecord(this.#snapshot, partition)) {
      if (found instanceof DamagedRecord) {
        const message = "its bytes are not those that were written: restore a backup";
        this.#add("damaged", partition, found.key, message);
        continue;
      }
      const record = this.#parse(partition, found.key, found.value);
      if (record !== undefined) await visit({ key: found.key, record });
    }
  }

  async #get<P extends Partition>(partition: P, key: string): Promise<RecordTypes[P] | undefined> {
    try {
      const stored = await this.#snapshot.get(partition, key);
      return stored && this.#parse(partition, key, stored.value);
    } catch (error) {
      // Its own partition names it.
      if (error instanceof DamagedRecord) return undefined;
      throw error;
    }
  }

  #parse<P extends Partition>(partition: P, key: string, value: string): RecordTypes[P] | undefined {
    const record = parseObject(value);
    if (record === undefined) this.#add("unreadable", partition, key, "the record is no JSON object");
    return record as RecordTypes[P] | undefined;
  }

  #add(kind: StoreFinding["kind"], partition: string, key: string, message: string): void {
    this.findings.push({ kind, partition, key, message });
  }
}

function parseObject(value: string): object | undefined {
  try {
    const parsed: unknown = parseJsonText(value);
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads every record of the directory from one state and returns what contradicts: references that lead nowhere and
 * wait for no sweep, records whose counterpart is missing, ids that two entities have. An empty list: the store is sound. Changes nothing.
 * @param opens tests secrets; without it they are not looked at
 */
export async function checkConsistency(store: Store, opens?: SecretTest): Promise<readonly StoreFinding[]> {
  const found = await withSnapshot(store, async (snapshot) => {
    const check = new StoreCheck(snapshot, opens);
    await check.run();
    return check.findings;
  });
  const damaged = await damagedEntry(store);
  return damaged === undefined ? found : [...found, damaged];
}

/** The first damaged entry of the log of a store; undefined if all are sound. */
async function damagedEntry(store: Store): Promise<StoreFinding | undefined> {
  const pause = bulkPause();
  try {
    for (let after = await store.history.keptFrom(); ; ) {
      const changes = await store.changes(after, PAGE);
      const last = changes?.at(-1);
      if (last === undefined) return undefined;
      after = last.revision;
      await pause();
    }
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    const { partition, key } = error;
    return {
      kind: "damaged",
      partition,
      key,
      message: "the log cannot be read from here on: restore a backup",
    };
  }
}

/**
 * As {@link checkConsistency}, secrets included.
 * @throws AuthorizerError "invalid_request" when none of the keys is one that secrets in the store are sealed with
 */
export async function checkWholeStore(
  store: Store,
  keys: { readonly secretKey: string; readonly previousSecretKey: string | undefined },
): Promise<readonly StoreFinding[]> {
  const box = await openExistingSecrets({ store, ...keys });
  return checkConsistency(store, (partition, key, record) => {
    const sealed = SEALED.find((one) => one.partition === partition);
    const { secret } = record as { readonly secret?: unknown };
    if (sealed === undefined) return true;
    return typeof secret === "string" && (box?.opens(secret, sealed.bindingOf(key, record)) ?? false);
  });
}
