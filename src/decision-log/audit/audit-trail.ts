/** The records of the audit log in a chain of their own (spec/decision-log §6). */

import { randomBytes } from "node:crypto";
import { keysFrom } from "@svc-authorizer/policy/records/digests.ts";
import { Chain, type ChainOptions } from "../chain/chain.ts";
import { type DecisionLogCounters, newCounters } from "../counters.ts";
import type { ChainSettings } from "../settings.ts";

/** Largest number of bytes that wait for room on the disk. */
const MOST_WAITING_BYTES = 16 << 20;
const ID_BYTES = 6;

/** The parts of a trail. */
interface AuditTrailOptions extends Pick<ChainOptions, "report" | "onSeal" | "onWritten" | "needed"> {
  readonly settings: ChainSettings;
  /** `auth.encrypt.secret_key`; "" for none. */
  readonly secretKey: string;
  /** `authorizer.previous_secret_key`; "" for none. */
  readonly formerSecretKey?: string;
}

/** A record: when, by whom and what; fields beside those that every record has. */
type AuditFields = Readonly<Record<string, unknown>>;

/** Appends records. */
export class AuditTrail {
  readonly counters: DecisionLogCounters;
  readonly #chain: Chain;
  readonly #node: string;
  readonly #prefix = randomBytes(ID_BYTES).toString("hex");
  #count = 0;
  #lost = 0;

  private constructor(chain: Chain, counters: DecisionLogCounters, node: string) {
    this.#chain = chain;
    this.counters = counters;
    this.#node = JSON.stringify(node);
  }

  /** Opens the chain, whose folder the caller has locked. Rejects with the error of the file system. */
  static async open({
    settings,
    secretKey,
    formerSecretKey,
    ...rest
  }: AuditTrailOptions): Promise<AuditTrail> {
    const counters = newCounters();
    const node = JSON.stringify(settings.node);
    const chain = await Chain.open({
      ...rest,
      settings,
      sealKey: keysFrom(secretKey)?.seal,
      formerSealKey: keysFrom(formerSecretKey)?.seal,
      counters,
      lineHead: () => `{"format":1,"at":"${new Date().toISOString()}","node":${node}`,
      now: Date.now,
    });
    return new AuditTrail(chain, counters, settings.node);
  }

  /** Appends a record. Without room it is counted, which a later line says. */
  append(event: string, fields: AuditFields): void {
    if (this.#chain.waitingBytes >= MOST_WAITING_BYTES) {
      this.#lost++;
      this.counters.lost++;
      return;
    }
    this.#noteLoss();
    const id = `a-${this.#prefix}-${(++this.#count).toString(36)}`;
    const rest = JSON.stringify(fields).slice(1, -1);
    const text = `${this.#head()},"id":"${id}","event":${JSON.stringify(event)}${rest === "" ? "" : ","}${rest}`;
    this.#chain.add({ head: text });
  }

  /** Resolves when everything recorded so far is on disk. */
  written(): Promise<void> {
    return this.#chain.written();
  }

  /** Number of records that are in no file, for want of room. */
  unwritten(): number {
    return this.#lost + this.#chain.unwritten;
  }

  /** Writes everything out. */
  close(): Promise<void> {
    this.#noteLoss();
    return this.#chain.close();
  }

  #noteLoss(): void {
    if (this.#lost > 0) this.#chain.add({ head: `${this.#head()},"lost":${this.#lost}` });
    this.#lost = 0;
  }

  #head(): string {
    return `{"format":1,"at":"${new Date().toISOString()}","node":${this.#node}`;
  }
}
