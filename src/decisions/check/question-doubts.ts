/** Doubts about the permissions of a request, for its explanation. */

import type {
  Explanation,
  RequiredLeaf,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import type { QuestionDoubt } from "@svc-authorizer/policy/model/question-judge.ts";

/** Permissions of a tree that are judged: its first. */
const MOST = 8;

/** The member of an explanation; nothing where there is no doubt. */
export function doubtsAbout(
  required: RequiredPermissions,
  judge: (leaf: RequiredLeaf) => readonly QuestionDoubt[],
): Pick<Explanation, "doubts"> {
  const doubts = judgedLeaves(required).flatMap(judge);
  return doubts.length === 0 ? {} : { doubts };
}

function judgedLeaves(required: RequiredPermissions): readonly RequiredLeaf[] {
  const found: RequiredLeaf[] = [];
  const waiting: RequiredPermissions[] = [required];
  for (let one = waiting.pop(); one !== undefined && found.length < MOST; one = waiting.pop()) {
    if ("action" in one) found.push(one);
    else if ("and" in one) waiting.push(...one.and.slice(0, MOST).reverse());
    else if ("or" in one) waiting.push(...one.or.slice(0, MOST).reverse());
  }
  return found;
}
