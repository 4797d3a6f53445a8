/** Tells of branches of mirrors that cannot be changed: once for each, until the branch was changed or waits for nothing. */

import type { Mirror } from "./mirror.ts";
import type { CallFailed } from "./ports.ts";

/** A branch of a mirror that was not changed. */
export interface PromotionFailure {
  readonly mirror: string;
  readonly source_repository: string;
  readonly region: string;
  readonly branch: string;
  readonly reason: string;
  /** Present where the data server may have done it, or may do it later. */
  readonly outcome?: "unknown";
}

/** Port: hears of failures, such as the audit log. */
export type TellFailure = (failure: PromotionFailure) => void;

/** Failures of one mirror. A pass is made every few seconds: what stays as it is is told once. */
export class PromotionFailures {
  readonly #mirror: Mirror;
  readonly #tell: TellFailure;
  readonly #branches = new Set<string>();

  constructor(mirror: Mirror, tell: TellFailure) {
    this.#mirror = mirror;
    this.#tell = tell;
  }

  /** Notes that a branch could not be changed. */
  note(branch: string, { message, isOutcomeUnknown }: CallFailed): void {
    if (this.#branches.has(branch)) return;
    this.#branches.add(branch);
    const { name: mirror, sourceRepository: source_repository, region } = this.#mirror;
    const outcome = isOutcomeUnknown ? ({ outcome: "unknown" } as const) : {};
    this.#tell({ mirror, source_repository, region, branch, reason: message, ...outcome });
  }

  /** Notes that nothing is in the way of a branch. */
  clear(branch: string): void {
    this.#branches.delete(branch);
  }
}
