/** Seals secrets anew after a change of the configured secret key, so that the previous one can be dropped. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { expectAsRead } from "../../store/expectation.ts";
import { type ScannedRecord, type Store, withSnapshot } from "../../store/port.ts";
import type { KeyRecord, SealedMailRecord } from "../records/layout.ts";
import { forgetKey, type OpenedSecrets } from "../records/open-secrets.ts";
import type { SecretBinding, SecretBox } from "../records/secrets.ts";

/** Secrets per commit: a write and an expectation each. */
const STEP = 50;

/** Every partition with sealed secrets, each in the field `secret`, and what a record's secret is bound to. */
export const SEALED: readonly {
  readonly partition: string;
  bindingOf(key: string, record: unknown): SecretBinding;
}[] = [
  {
    partition: "key",
    bindingOf: (key, record) => ({ kind: "access_key", accessKeyId: key, userId: (record as KeyRecord).id }),
  },
  {
    partition: "outbox",
    bindingOf: (_key, record) => {
      const { id, username, email } = record as SealedMailRecord;
      return { kind: "mail", mailId: id, username, email };
    },
  },
  { partition: "password", bindingOf: (key) => ({ kind: "password", userId: key }) },
];

/** The record with its secret sealed by the current key; undefined if it is already, or opens with no key. */
export function resealed(
  box: SecretBox,
  { key, value }: ScannedRecord,
  bindingOf: (key: string, record: unknown) => SecretBinding,
): { readonly secret: string } | undefined {
  const record = parseJsonText(value) as { readonly secret: string };
  if (box.isCurrent(record.secret)) return undefined;
  const binding = bindingOf(key, record);
  try {
    return { ...record, secret: box.seal(box.open(record.secret, binding), binding) };
  } catch (error) {
    // A damaged secret opens with no key; it must not keep the others from being sealed.
    if (isErrorCode(error, "internal")) return undefined;
    throw error;
  }
}

/** Progress of a walk over all sealed secrets. */
interface ResealProgress {
  /** Start of the next page; opaque. */
  readonly after: string | undefined;
  readonly sealed: number;
  /** True when there are no more. */
  readonly done: boolean;
}

/** The position after a record: index in {@link SEALED}, a blank, the key. */
function readPosition(position: string | undefined): { readonly index: number; readonly after: string } {
  if (position === undefined) return { index: 0, after: "" };
  const blank = position.indexOf(" ");
  return { index: Number(position.slice(0, blank)), after: position.slice(blank + 1) };
}

/**
 * Seals the secrets of one page anew, in one commit: a record has its old form or its new one, never another.
 * @param position `after` of the page before, undefined for the first
 */
async function resealPage(
  store: Store,
  box: SecretBox,
  position: string | undefined,
): Promise<ResealProgress> {
  const { index, after } = readPosition(position);
  const { partition, bindingOf } = SEALED[index]!;
  const { found, changed } = await withSnapshot(store, async (snapshot) => {
    const page = await snapshot.scan(partition, { limit: STEP, ...(after !== "" && { after }) });
    const sealed = page.flatMap((stored) => {
      const { key } = stored;
      const record = resealed(box, stored, bindingOf);
      const unchanged = expectAsRead(snapshot, { partition, key }, stored);
      return record === undefined ? [] : [{ key, record, unchanged }];
    });
    return { found: page, changed: sealed };
  });
  if (changed.length > 0) {
    await store.commit({
      expect: changed.map(({ unchanged }) => unchanged),
      put: changed.map(({ key, record }) => ({ partition, key, value: JSON.stringify(record) })),
    });
  }
  const isLast = found.length < STEP;
  return {
    after: isLast ? `${index + 1} ` : `${index} ${found.at(-1)!.key}`,
    sealed: changed.length,
    done: isLast && index + 1 === SEALED.length,
  };
}

/** Walks over all sealed secrets, a commit at a time. */
export class Resealing {
  readonly #store: Store;
  readonly #secrets: OpenedSecrets;
  #after: string | undefined;
  #done: boolean;

  constructor(store: Store, secrets: OpenedSecrets) {
    this.#store = store;
    this.#secrets = secrets;
    this.#done = secrets.outdatedKeys.length === 0;
  }

  /** Seals some secrets anew; true when all are sealed with the current key. */
  async step(): Promise<boolean> {
    if (this.#done) return true;
    const { after, done } = await resealPage(this.#store, this.#secrets.box, this.#after);
    this.#after = after;
    if (!done) return false;
    for (const id of this.#secrets.outdatedKeys) await forgetKey(this.#store, id);
    this.#done = true;
    return true;
  }
}
