/** Things of a state with the mark of data sets. */

import type { HeldMembership, Managed } from "../../batch.ts";
import type { MembershipRecord } from "../../records/layout.ts";

type Marked = { readonly managed?: true };

// One for all: objects of their own for each attachment of 100,000 users weigh more than the users.
const MARKED: Managed<true> = Object.freeze({ value: true, managed: true });
const UNMARKED: Managed<true> = Object.freeze({ value: true, managed: false });

/** The mark of something that has no more to it. */
export function markOf(record: Marked): Managed<true> {
  return record.managed === true ? MARKED : UNMARKED;
}

/** A membership. */
export function membershipOf(record: MembershipRecord): HeldMembership {
  const { by } = record;
  return by === undefined ? markOf(record) : { ...markOf(record), by };
}

/** A value with its mark. */
export function managed<T>(value: T, record: Marked): Managed<T> {
  return { value, managed: record.managed === true };
}
