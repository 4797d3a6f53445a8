/** State that the use cases of the directory share. `open-directory.ts` builds it once. */

import type { Guards } from "@svc-authorizer/policy/model/names.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import type { Store } from "../store/port.ts";
import type { Authors } from "./author.ts";
import type { HolderLists } from "./read/holder-lists.ts";
import type { PolicyCache } from "./read/policy-cache.ts";
import { type Reader, readState } from "./read/reader.ts";
import type { SecretBox } from "./records/secrets.ts";
import type { Writer } from "./write/writer.ts";

/** Rules for writes. */
export interface WriteRules {
  /** Product-name part of ARNs (`authorizer.partition`). */
  readonly partition: string;
  /** Built-in services. */
  readonly services: ReadonlySet<string>;
  /** Built-in resource types, which cannot be declared again. */
  readonly resourceTypes: ReadonlySet<string>;
  readonly guards: Guards;
  readonly limits: Partial<PolicyLimits>;
}

/** Parts and settings of one opened directory. */
export interface DirectoryContext {
  readonly store: Store;
  readonly policies: PolicyCache;
  readonly holderLists: HolderLists;
  readonly writer: Writer;
  readonly authors: Authors;
  readonly secrets: SecretBox;
  readonly rules: WriteRules;
  /** Unix seconds, whole. */
  readonly now: () => number;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  readonly generateId: () => string;
  /** Starts background work that a write has left: sweeps, dropping of expired claims. */
  readonly wakeMaintenance: () => void;
  /** Runs work that reads everything while background work of this process rests. */
  readonly restingMaintenance: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Runs `read` on one state of the context's store. */
export function read<T>(context: DirectoryContext, work: (reader: Reader) => Promise<T>): Promise<T> {
  return readState(context.store, context.policies, work);
}
