/** Runs the cases of the AuthZEN certification scenario against a policy decision point. */

import { type Answer, call, type Target } from "./call.ts";
import type { Case, Result } from "./cases.ts";
import { faults } from "./check-answer.ts";

/** A case with what was wrong. */
export interface Outcome {
  readonly case: Case;
  /** Empty when the case passed. */
  readonly faults: readonly string[];
}

/** Asked for all pages until this many: more is no end. */
const MOST_PAGES = 100;

/** Runs the cases in their order. */
export async function runCases(target: Target, cases: readonly Case[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const results = new Map<string, readonly Result[]>();
  for (const one of cases) {
    const found = new Set<string>();
    for (let turn = 0; turn < (one.repeat ?? 1); turn++) {
      const answer = one.pages === true ? await allPages(target, one) : await send(target, one, one.body);
      for (const fault of faults(one, answer, target, results)) found.add(fault);
      const { results: given } = (answer.body ?? {}) as { results?: readonly Result[] };
      if (given !== undefined) results.set(one.id, given);
    }
    outcomes.push({ case: one, faults: [...found] });
  }
  return outcomes;
}

function send(target: Target, one: Case, body: unknown): Promise<Answer> {
  if (one.endpoint === "metadata") {
    return call(target, { method: "GET", path: "/.well-known/authzen-configuration" });
  }
  const text = one.text ?? JSON.stringify(body);
  const headers = one.headers === undefined ? {} : { headers: one.headers };
  return call(target, { method: "POST", path: `/access/v1/${one.endpoint}`, text, ...headers });
}

/** The answer to the first page, with the results of all. */
async function allPages(target: Target, one: Case): Promise<Answer> {
  const first = await send(target, one, one.body);
  const results: Result[] = [];
  let answer = first;
  for (let page = 0; page < MOST_PAGES; page++) {
    const body = answer.body as { results?: Result[]; page?: { next_token?: string } };
    results.push(...(body.results ?? []));
    const token = body.page?.next_token ?? "";
    if (token === "") break;
    answer = await send(target, one, { ...one.body, page: { token } });
  }
  return { ...first, body: { ...(first.body as object), results } };
}
