/** Items of `/filter`: ARNs, or ids of a resource type. */

import { isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { DecisionContext } from "@svc-authorizer/policy/model/decision.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import { fits } from "../../../http/body/text-bytes.ts";
import type { DecisionLimits } from "../limits.ts";
import { contextOf } from "../native/native-fields.ts";

/** Fields that all items of a request share. */
export interface FilterHead {
  readonly user: string;
  /** Groups that the caller asserts for a user whom the directory does not know. */
  readonly groups?: readonly string[];
  /** A token of an identity provider for the user. */
  readonly token?: string | undefined;
  /** `service:Verb`, or a short name of `type`. */
  readonly action: string;
  readonly type?: string;
  readonly context: DecisionContext;
}

/** The shared fields as they stand in a body that was checked. */
export interface FilterHeadBody extends Omit<FilterHead, "context"> {
  readonly context?: unknown;
}

/** Returns the shared fields of a body that was checked. */
export function headOf({ user, groups, token, action, type, context }: FilterHeadBody): FilterHead {
  return {
    user,
    ...(groups && { groups }),
    token,
    action,
    ...(type === undefined ? {} : { type }),
    context: contextOf(context),
  };
}

/** One item: an ARN, `undefined` for what nobody can be allowed (an unknown type), or what is wrong with it. */
type FilterItem = string | undefined | Pick<Problem, "message">;

/** Turns the items of a request into resources. */
export class ItemReader {
  /** `service:Verb`, or undefined where the type has no such action: then nothing is allowed. */
  readonly action: string | undefined;
  readonly #decisions: Decisions;
  readonly #type: string | undefined;
  readonly #limits: DecisionLimits;

  constructor(decisions: Decisions, head: FilterHead, limits: DecisionLimits) {
    const { action, type } = head;
    const short = type !== undefined && !action.includes(":");
    this.action = short ? decisions.actionName(type, action) : action;
    this.#decisions = decisions;
    this.#type = type;
    this.#limits = limits;
  }

  /** Reads one item. */
  read(item: unknown): FilterItem {
    if (typeof item !== "string") return { message: "expected a string" };
    if (!item.isWellFormed()) return { message: "not well-formed Unicode" };
    if (!fits(item, this.#limits.arnBytes)) return { message: `longer than ${this.#limits.arnBytes} bytes` };
    if (this.#type === undefined) return item;
    try {
      return this.#decisions.resourceArn(this.#type, item);
    } catch (error) {
      if (isErrorCode(error, "invalid_request")) return { message: error.message };
      throw error;
    }
  }
}
