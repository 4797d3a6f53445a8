/** The parts of decisions that the decision log masks (`authorizer.decision_log.mask`) are shown by nothing else that tells of them. */

import { keysFrom, maskOf } from "@svc-authorizer/policy/records/digests.ts";
import type { ConfigValues } from "../../config/table.ts";
import { masksPart, type ToldPart } from "../../decision-log/mask-pointers.ts";

/** Returns whether a part of decisions is masked. */
export function maskedParts(values: ConfigValues): (part: ToldPart) => boolean {
  const masks = values["authorizer.decision_log.mask"];
  return (part) => masksPart(masks, part);
}

/** Returns what is told in place of a value: the value, or the digest that records have of it. */
export function toldParts(values: ConfigValues): (part: ToldPart, value: string) => string {
  const isMasked = maskedParts(values);
  const key = keysFrom(values["auth.encrypt.secret_key"])?.mask;
  return (part, value) => {
    if (!isMasked(part)) return value;
    return key === undefined ? "masked" : maskOf(value, key);
  };
}
