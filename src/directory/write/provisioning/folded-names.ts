/** Finds users by their names in any letter case, as identity providers do (RFC 7643, section 4.1.1). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import { expectAsRead } from "../../../store/expectation.ts";
import { type Snapshot, type Store, withSnapshot } from "../../../store/port.ts";
import type { StateReader } from "../../read/reader.ts";
import {
  foldedKey,
  foldName,
  type RefRecord,
  splitKey,
  type UserRecord,
  under,
} from "../../records/layout.ts";

const PAGE = 500;
/** Passes over all names before the index counts as incomplete for this call: others kept changing it. */
const TRIES = 3;

/**
 * Sees to it that the index has every name. Users that earlier versions made are missing in it: one pass over all names,
 * at the first call in a process, adds them.
 */
export class FoldedNames {
  readonly #store: Store;
  /** The {@link Snapshot.base} of the states in which every name is known to be in the index. */
  #coveredBase: { readonly base: string | undefined } | undefined;
  #running: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Completes the index; leaves it while earlier versions write to the store, and where the store cannot be written. */
  async complete(): Promise<void> {
    if (await withSnapshot(this.#store, async (snapshot) => this.#covers(snapshot))) return;
    if (!(this.#store.namesEntries?.() ?? true)) return;
    this.#running ??= this.#complete().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /**
   * The user of a name, else the first in the index whose name differs in letter case only. Within a transaction, one that
   * is made meanwhile lets the commit fail. Where the index may lack names, all of them are looked through.
   */
  async namesakeOf(reader: StateReader, username: string): Promise<string | undefined> {
    if (!isPossibleName(username)) return undefined;
    const folded = foldName(username);
    for (const name of new Set([username, folded])) {
      if ((await reader.get("user", name)) !== undefined) return name;
    }
    for await (const page of reader.scanAll("folded_name", under(splitKey(foldedKey(username)).id, ""))) {
      for (const { key, record } of page) {
        const name = splitKey(key).rest;
        if ((await reader.get("user", name))?.id === record.id) return name;
      }
    }
    return this.#covers(reader) ? undefined : lookThrough(reader, folded);
  }

  #covers({ base }: { readonly base?: string | undefined }): boolean {
    return this.#coveredBase !== undefined && this.#coveredBase.base === base;
  }

  async #complete(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        this.#coveredBase = await withSnapshot(this.#store, async (snapshot) => {
          await this.#addMissing(snapshot);
          return { base: snapshot.base };
        });
        return;
      } catch (error) {
        if (isErrorCode(error, "unavailable")) return;
        if (!isErrorCode(error, "conflict")) throw error;
      }
    }
  }

  async #addMissing(snapshot: Snapshot): Promise<void> {
    const pause = bulkPause();
    for (let after = ""; ; ) {
      const page = await snapshot.scan("user", { limit: PAGE, ...(after !== "" && { after }) });
      const cased = page.filter(({ key }) => foldName(key) !== key);
      const keys = cased.map(({ key }) => foldedKey(key));
      const known = await snapshot.getMany("folded_name", keys);
      const missing = cased.flatMap((user, index) => {
        const { id } = parseJsonText(user.value) as UserRecord;
        const record = known[index] && (parseJsonText(known[index].value) as RefRecord);
        return record?.id === id ? [] : [{ user, value: JSON.stringify({ id } satisfies RefRecord) }];
      });
      if (missing.length > 0) {
        await this.#store.commit({
          expect: missing.map(({ user }) =>
            expectAsRead(snapshot, { partition: "user", key: user.key }, user),
          ),
          put: missing.map(({ user, value }) => ({
            partition: "folded_name",
            key: foldedKey(user.key),
            value,
          })),
        });
      }
      if (page.length < PAGE) return;
      after = page.at(-1)!.key;
      await pause();
    }
  }
}

/** The first user whose name, folded, is this one, in slices between other work. */
async function lookThrough(reader: StateReader, folded: string): Promise<string | undefined> {
  const pause = bulkPause();
  for await (const page of reader.scanAll("user")) {
    const found = page.find(({ key }) => foldName(key) === folded);
    if (found !== undefined) return found.key;
    await pause();
  }
  return undefined;
}
