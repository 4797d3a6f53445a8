/** Opens the decision log of a process (spec/decision-log §2). */

import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import { keysFrom, type LogKeys } from "@svc-authorizer/policy/records/digests.ts";
import type { BatchQuestion, Decided, DecisionBatch, DecisionLog } from "../decisions/decision-log.ts";
import { turnEnd } from "../schedule/turn-end.ts";
import { Chain, type ChainOptions, type Report } from "./chain/chain.ts";
import type { LineText } from "./chain/chain-line.ts";
import { type DecisionLogCounters, newCounters } from "./counters.ts";
import { type DecidedAt, RecordEncoder } from "./encode/encode.ts";
import { EncodedBatch } from "./encode/encode-batch.ts";
import { Masks } from "./encode/masks.ts";
import type { DecisionLogSettings } from "./settings.ts";

/** Largest number of decisions that wait for the end of their turn. */
const MOST_DECIDED = 64;

/** Largest number of bytes that wait for room on the disk. */
const MOST_WAITING_BYTES = 16 << 20;

/** The parts of a log. */
export interface DecisionLogOptions {
  readonly settings: DecisionLogSettings;
  /** Digest of the policy set. */
  readonly policySet: string;
  /** The current revision of the directory. */
  readonly revision: () => number;
  /** ENTRY of its position; default: not named. */
  readonly entry?: () => string;
  /** A new decision id. */
  readonly nextId: () => string;
  readonly report: Report;
  readonly onSeal?: ChainOptions["onSeal"];
  readonly onWritten?: () => void;
  readonly needed?: () => number;
  readonly now?: () => number;
  /** A number of at least 0 and less than 1, for shares. */
  readonly random?: () => number;
}

/** A log that is open. */
export interface OpenedDecisionLog extends DecisionLog {
  readonly counters: DecisionLogCounters;
  readonly folder: string;
  readonly keys: LogKeys | undefined;
  /** Resolves when everything recorded so far is on disk. */
  written(): Promise<void>;
  /** Number of decisions that are in no file, for want of room. */
  unwritten(): number;
  /** Writes everything out. */
  close(): Promise<void>;
}

/** Opens the log. Rejects with the error of the file system if its folder cannot be used. */
export async function openDecisionLog(options: DecisionLogOptions): Promise<OpenedDecisionLog> {
  const { settings, policySet, revision, entry = () => "", report, now = Date.now } = options;
  const keys = keysFrom(settings.secretKey);
  const encoder = new RecordEncoder({ node: settings.node, policySet, revision, entry, now });
  const counters = newCounters();
  const node = JSON.stringify(settings.node);
  const chain = await Chain.open({
    settings,
    sealKey: keys?.seal,
    formerSealKey: keysFrom(settings.formerSecretKey)?.seal,
    counters,
    lineHead: () => `{"format":1,"at":"${encoder.time()}","node":${node}`,
    report,
    onSeal: options.onSeal ?? (() => undefined),
    onWritten: options.onWritten ?? (() => undefined),
    needed: options.needed ?? (() => Number.POSITIVE_INFINITY),
    now,
  });
  return new RecordedDecisions(options, { encoder, counters, chain, keys });
}

interface Parts {
  readonly encoder: RecordEncoder;
  readonly counters: DecisionLogCounters;
  readonly chain: Chain;
  readonly keys: LogKeys | undefined;
}

class RecordedDecisions implements OpenedDecisionLog {
  readonly counters: DecisionLogCounters;
  readonly keys: LogKeys | undefined;
  readonly encoder: RecordEncoder;
  readonly items: number;
  readonly keepsFirst: boolean;
  readonly nextId: () => string;
  readonly #chain: Chain;
  readonly #settings: DecisionLogSettings;
  readonly #masks: Masks | undefined;
  readonly #random: () => number;
  readonly #lineHead: () => string;
  /** Decisions of this turn of the event loop that are not encoded yet. */
  #decided: { readonly decision: Decided; readonly moment: DecidedAt }[] = [];
  /** Decisions lost since the last line. */
  #lost = 0;

  constructor({ settings, nextId, random = Math.random }: DecisionLogOptions, parts: Parts) {
    const { encoder, counters, chain, keys } = parts;
    this.#settings = settings;
    this.counters = counters;
    this.encoder = encoder;
    this.keys = keys;
    this.items = settings.items;
    this.keepsFirst = settings.sync === "each" || settings.whenFull === "refuse";
    this.nextId = nextId;
    this.#chain = chain;
    this.#random = random;
    this.#masks = settings.mask.length === 0 ? undefined : new Masks(settings.mask, maskKey(keys));
    this.#lineHead = () => `{"format":1,"at":"${encoder.time()}","node":${JSON.stringify(settings.node)}`;
  }

  get folder(): string {
    return this.#chain.folder;
  }

  wants(effect: Effect): boolean {
    const { include } = this.#settings;
    if (include === "all") return true;
    if (include === "none") return false;
    if (effect !== "allow") return true;
    return include !== "denied" && this.#random() < include;
  }

  decided(decision: Decided): Promise<void> | undefined {
    if (this.keepsFirst) return this.#append({ head: this.encoder.decision(decision) });
    // What may be another one at the end of the turn is asked for now.
    this.#decided.push({ decision, moment: this.encoder.now(decision.call) });
    if (this.#decided.length === 1) turnEnd.add(() => this.#encodeDecided());
    else if (this.#decided.length >= MOST_DECIDED) this.#encodeDecided();
    return undefined;
  }

  /** Encodes what was decided in this turn of the event loop: many in a row cost less than each one between requests. */
  #encodeDecided(): void {
    const all = this.#decided;
    this.#decided = [];
    for (const { decision, moment } of all) {
      try {
        this.#append({ head: this.encoder.decision(decision, moment) });
      } catch {
        // It is answered already.
        this.counters.lost++;
        this.#lost++;
      }
    }
  }

  batch(question: BatchQuestion): DecisionBatch {
    return new EncodedBatch(this, question);
  }

  appendItems(head: string, items: Buffer, tail: string): Promise<void> | undefined {
    this.#encodeDecided();
    return this.#append({ head, items, tail });
  }

  #append(text: LineText): Promise<void> | undefined {
    const { whenFull, sync } = this.#settings;
    const chain = this.#chain;
    const full = chain.waitingBytes >= MOST_WAITING_BYTES;
    if (whenFull === "refuse" && (full || chain.failure !== undefined)) {
      this.counters.refused++;
      throw this.#noRoom(chain.failure);
    }
    if (full) {
      this.counters.lost++;
      this.#lost++;
      return undefined;
    }
    if (this.#lost > 0) this.#noteLoss();
    chain.add(this.#masks === undefined ? text : { head: this.#masks.applied(wholeText(text)) });
    if (sync !== "each") return undefined;
    if (whenFull === "drop" && chain.failure !== undefined) return undefined;
    return chain.written().catch((error: unknown) => {
      if (whenFull === "drop") return;
      this.counters.refused++;
      throw this.#noRoom(error);
    });
  }

  written(): Promise<void> {
    this.#encodeDecided();
    return this.#chain.written();
  }

  unwritten(): number {
    return this.#lost + this.#chain.unwritten;
  }

  close(): Promise<void> {
    this.#encodeDecided();
    if (this.#lost > 0) this.#noteLoss();
    return this.#chain.close();
  }

  /** Leaves a line about decisions without a record. */
  #noteLoss(): void {
    this.#chain.add({ head: `${this.#lineHead()},"lost":${this.#lost}` });
    this.#lost = 0;
  }

  #noRoom(cause: unknown): AuthorizerError {
    const reason = cause === undefined ? "too much waits to be written" : messageOf(cause);
    const message = "the decision cannot be recorded (authorizer.decision_log.when_full is refuse)";
    return new AuthorizerError("unavailable", message, { cause: new Error(reason) });
  }
}

function wholeText({ head, items, tail = "" }: LineText): string {
  return items === undefined ? head : head + items.toString("utf8") + tail;
}

/** Without a secret key, masked values are equal only within one run of the process. */
function maskKey(keys: LogKeys | undefined): Buffer {
  return keys?.mask ?? RANDOM_KEY;
}

const RANDOM_KEY = Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
