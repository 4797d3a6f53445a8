/** What is wrong with an answer of a policy decision point, by the words of the AuthZEN certification scenario. */

import type { Answer, Target } from "./call.ts";
import type { Case, Result } from "./cases.ts";

/** Search results of earlier cases by their id. */
type Earlier = ReadonlyMap<string, readonly Result[]>;

/** What is wrong, in words; empty when all is as the case expects. */
export function faults(one: Case, answer: Answer, target: Target, earlier: Earlier): string[] {
  const { expect } = one;
  const status = expect.status ?? 200;
  if (answer.status !== status) return [`status ${answer.status} instead of ${status}`];
  const found: string[] = [];
  if (!String(answer.headers["content-type"]).startsWith("application/json"))
    found.push("no JSON content type");
  for (const [name, value] of Object.entries(expect.headers ?? {})) {
    if (answer.headers[name.toLowerCase()] !== value) found.push(`${name} is not ${value}`);
  }
  if (!isObject(answer.body)) return [...found, "the body is no JSON object"];
  if (status === 200) found.push(...shapeFaults(one, answer.body, target, earlier));
  return found;
}

function shapeFaults(one: Case, body: Json, target: Target, earlier: Earlier): string[] {
  const { expect } = one;
  if (expect.metadata === true) return metadataFaults(body, target);
  if (expect.evaluations !== undefined) return batchFaults(body, expect.evaluations);
  if (expect.decision !== undefined) return decisionFaults(body, expect.decision);
  return searchFaults(one, body, earlier);
}

function decisionFaults(body: unknown, decision: boolean | "any"): string[] {
  if (!isObject(body) || typeof body["decision"] !== "boolean") return ["decision is no boolean"];
  if (body["context"] !== undefined && !isObject(body["context"])) return ["context is no object"];
  return decision === "any" || body["decision"] === decision ? [] : [`decision is not ${decision}`];
}

function batchFaults(body: Json, wanted: readonly (boolean | "any")[]): string[] {
  const { evaluations } = body;
  if (!Array.isArray(evaluations)) return ["evaluations is no array"];
  if (evaluations.length !== wanted.length)
    return [`${evaluations.length} evaluations, not ${wanted.length}`];
  const faulty = wanted.flatMap((decision, index) =>
    decisionFaults(evaluations[index], decision).map((fault) => `evaluation ${index}: ${fault}`),
  );
  return "decision" in body ? [...faulty, "a decision beside evaluations"] : faulty;
}

function searchFaults({ endpoint, body: sent, expect }: Case, body: Json, earlier: Earlier): string[] {
  const { results, page } = body;
  if (!Array.isArray(results)) return ["results is no array"];
  const type = (sent?.[endpoint.replace("search/", "")] as Result | undefined)?.["type"];
  const found: string[] = [];
  for (const result of results as Result[]) {
    const sound =
      endpoint === "search/action" ? isText(result["name"]) : result["type"] === type && isText(result["id"]);
    if (!sound) found.push(`a faulty result: ${JSON.stringify(result)}`);
  }
  for (const wanted of expect.includes ?? []) {
    if (!results.some((result) => sameResult(result, wanted)))
      found.push(`${JSON.stringify(wanted)} is missing`);
  }
  if (expect.results !== undefined && results.length !== expect.results) {
    found.push(`${results.length} results, not ${expect.results}`);
  }
  const same = expect.same === undefined ? results : (earlier.get(expect.same) ?? []);
  if (JSON.stringify(same) !== JSON.stringify(results)) found.push(`other results than ${expect.same}`);
  if (page === undefined ? expect.page === true : !isObject(page) || typeof page["next_token"] !== "string") {
    found.push("page without next_token");
  }
  return found;
}

const REQUIRED = ["policy_decision_point", "access_evaluation_endpoint"];
const OPTIONAL = [
  "access_evaluations_endpoint",
  "search_subject_endpoint",
  "search_resource_endpoint",
  "search_action_endpoint",
];

function metadataFaults(body: Json, { url }: Target): string[] {
  const names = [...REQUIRED, ...OPTIONAL.filter((name) => name in body)];
  const found = names.flatMap((name) => (isHttps(body[name]) ? [] : [`${name} is no https URL`]));
  return body["policy_decision_point"] === url ? found : [...found, `policy_decision_point is not ${url}`];
}

function isHttps(value: unknown): boolean {
  return isText(value) && URL.parse(value)?.protocol === "https:";
}

function sameResult(left: Result, right: Result): boolean {
  return Object.entries(right).every(([name, value]) => left[name] === value);
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
