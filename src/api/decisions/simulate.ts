/** `POST /access/v1/simulate`: decisions from given or changed policies (decision-api.md §3). */

import type { Decisions, SimulationAnswer, SimulationCase } from "../../decisions/decisions.ts";
import { scheduler } from "../../schedule/scheduler.ts";
import { requireScope, type ServiceCall } from "../service-caller.ts";
import { checkBody } from "./check.ts";
import type { DecisionLimits } from "./limits.ts";
import { FieldReader } from "./native-fields.ts";
import { refuseQuery } from "./query.ts";
import { CASE_FIELDS, type CaseDefaults, readCaseInSteps, readModes } from "./simulation.ts";

const MAX_CASES = 1000;
const MAX_PROBLEMS = 100;
const BATCH_FIELDS: ReadonlySet<string> = new Set(["cases", "evaluator", "explain"]);
const DEFAULTS: CaseDefaults = { evaluator: "extended", explain: false };

/** Builds the handler. */
export function simulateHandler(decisions: Decisions, limits: DecisionLimits) {
  return async (call: ServiceCall): Promise<string> => {
    const { body } = call;
    refuseQuery(call);
    const many = typeof body === "object" && body !== null && Object.hasOwn(body, "cases");
    if (many) return simulateMany(decisions, await scheduler.run(readCasesInSteps(body, call, limits)), call);
    const reader = new FieldReader();
    const fields = reader.object({ value: body, pointer: "" }, CASE_FIELDS);
    if (fields.size === 0) reader.finish();
    const simulation = await scheduler.run(
      readCaseInSteps(reader, fields, "", DEFAULTS, limits, call.requestId),
    );
    reader.finish();
    requireScopes(simulation, call);
    return simulationText(await decisions.simulate({ ...simulation, call }));
  };
}

function* readCasesInSteps(
  body: unknown,
  call: ServiceCall,
  limits: DecisionLimits,
): Generator<void, readonly SimulationCase[]> {
  const reader = new FieldReader();
  const fields = reader.object({ value: body, pointer: "" }, BATCH_FIELDS);
  const defaults = readModes(reader, fields, DEFAULTS);
  const cases: SimulationCase[] = [];
  for (const [index, value] of reader.list(fields.get("cases"), "/cases", MAX_CASES).entries()) {
    const pointer = `/cases/${index}`;
    const given = reader.object({ value, pointer }, CASE_FIELDS);
    if (given.size > 0) {
      cases.push(yield* readCaseInSteps(reader, given, pointer, defaults, limits, call.requestId));
    } else if (reader.problems.length === 0) reader.problem(pointer, "expected a case");
    if (reader.problems.length >= MAX_PROBLEMS) break;
    yield;
  }
  reader.finish();
  return cases;
}

async function simulateMany(
  decisions: Decisions,
  cases: readonly SimulationCase[],
  call: ServiceCall,
): Promise<string> {
  for (const simulation of cases) requireScopes(simulation, call);
  // One budget of work for all cases, since they are one request.
  const budget = decisions.workBudget(call);
  const results: string[] = [];
  for (const simulation of cases) {
    results.push(simulationText(await decisions.simulate({ ...simulation, budget, call })));
  }
  return `{"results":[${results.join(",")}]}`;
}

/** A candidate shows what a real user holds, an explanation what policies say: both are more than deciding. */
function requireScopes(simulation: SimulationCase, call: ServiceCall): void {
  if (simulation.candidate !== undefined || simulation.explain) requireScope(call.caller, "read");
}

function simulationText(answer: SimulationAnswer): string {
  return JSON.stringify("effect" in answer ? checkBody(answer) : answer);
}
