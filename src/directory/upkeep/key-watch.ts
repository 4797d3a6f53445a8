/** Follows which key seals, and tells others which keys this node holds (spec/journal §4.10). */

import { randomUUID } from "node:crypto";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CommittedChange, Store } from "../../store/port.ts";
import type { MetaRecord } from "../records/layout.ts";
import { isShared, sealingKey } from "../records/open-secrets.ts";
import { NODES } from "../records/sealing.ts";
import type { SecretBox } from "../records/secrets.ts";

/** Watches the key of one node. */
export class KeyWatch {
  readonly #store: Store;
  readonly #box: SecretBox;
  readonly #unsubscribe: () => void;
  #looking: Promise<void> = Promise.resolve();
  #lacksKey = false;
  #report: string | undefined;

  constructor(store: Store, box: SecretBox) {
    this.#store = store;
    this.#box = box;
    this.#unsubscribe = store.subscribe((change) => this.#hear(change));
  }

  /** Rejects with "unavailable" while the secrets are sealed with a key that this node does not hold. */
  async health(): Promise<void> {
    await this.#looking;
    if (!this.#lacksKey) return;
    const message =
      "The secrets of this directory were sealed with a new key: set auth.encrypt.secret_key to it, and start again.";
    throw new AuthorizerError("unavailable", message);
  }

  /**
   * Tells others which keys this node holds, until {@link close}. Where nobody shares the store, nothing.
   * @param name `authorizer.node_name`
   */
  async report(name: string): Promise<void> {
    if (!isShared(this.#store)) return;
    // One record, however often it is called: none of them outlives the node, be it that nobody knows whether it was written.
    this.#report ??= `${NODES}${randomUUID()}`;
    const value = JSON.stringify({ holds: this.#box.keyIds, name } satisfies MetaRecord);
    await this.#store.commit({ put: [{ partition: "meta", key: this.#report, value }] });
  }

  /** Stops. A node whose store fails at its end stays reported. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#looking;
    if (this.#report === undefined) return;
    const done = { partition: "meta", key: this.#report };
    await this.#store.commit({ delete: [done] }).catch(() => undefined);
  }

  #hear({ change }: CommittedChange): void {
    if (change?.all !== true) return;
    this.#looking = this.#looking.then(() => this.#look()).catch(() => undefined);
  }

  async #look(): Promise<void> {
    const key = await sealingKey(this.#store);
    if (key !== undefined) this.#lacksKey = !this.#box.use(key);
  }
}
