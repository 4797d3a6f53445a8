/** `POST /access/v1/simulate`: decisions from given or changed policies (decision-api.md §3). */

import type { Decisions, SimulationAnswer, SimulationCase } from "../../decisions/decisions.ts";
import { isObject } from "../../http/json-body.ts";
import { scheduler } from "../../schedule/scheduler.ts";
import { requireScope, type ServiceCall } from "../service-caller.ts";
import { checkBody } from "./check.ts";
import type { DecisionLimits } from "./limits.ts";
import { refuseQuery } from "./query.ts";
import { type CaseModes, caseInSteps, type GivenCase } from "./simulation.ts";

interface GivenCases extends CaseModes {
  readonly cases: readonly GivenCase[];
}

/** Returns the schema of a body: one case, or several. */
export function simulationForm(body: unknown): string {
  return isObject(body) && Object.hasOwn(body, "cases") ? "SimulationCases" : "SimulationCase";
}

/** Builds the handler. */
export function simulateHandler(decisions: Decisions, limits: DecisionLimits) {
  return async (call: ServiceCall): Promise<string> => {
    refuseQuery(call);
    const body = call.body as GivenCase | GivenCases;
    if ("cases" in body)
      return simulateMany(decisions, await scheduler.run(casesInSteps(body, call, limits)), call);
    const simulation = await scheduler.run(caseInSteps(body, "", {}, limits, call.requestId));
    requireScopes(simulation, call);
    return simulationText(await decisions.simulate({ ...simulation, call }));
  };
}

function* casesInSteps(
  { cases, ...modes }: GivenCases,
  call: ServiceCall,
  limits: DecisionLimits,
): Generator<undefined, readonly SimulationCase[]> {
  const read: SimulationCase[] = [];
  for (const [index, given] of cases.entries()) {
    read.push(yield* caseInSteps(given, `/cases/${index}`, modes, limits, call.requestId));
    yield;
  }
  return read;
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
