/** `POST /access/v1/simulate`: decisions from given or changed policies (spec/decision-api §3). */

import type { Decisions, SimulationAnswer, SimulationCase } from "../../../decisions/decisions.ts";
import { isObject } from "../../../http/body/json-body.ts";
import { scheduler } from "../../../schedule/scheduler.ts";
import type { AnyCall } from "../any-call.ts";
import type { DecisionLimits } from "../limits.ts";
import { checkBody } from "../native/check.ts";
import { refuseQuery } from "../query.ts";
import { type CaseModes, caseInSteps, type GivenCase } from "./simulation.ts";

interface GivenCases extends CaseModes {
  readonly cases: readonly GivenCase[];
}

/** Returns the schema of a body: one case, or several. */
export function simulationForm(body: unknown): string {
  return isObject(body) && Object.hasOwn(body, "cases") ? "SimulationCases" : "SimulationCase";
}

/** Finds out whether the caller may simulate a case; throws where not. */
type AuthorizeSimulation<C> = (simulation: SimulationCase, call: C) => Promise<void> | void;

/** Builds the handler. */
export function simulateHandler<C extends AnyCall>(
  decisions: Decisions,
  limits: DecisionLimits,
  authorize: AuthorizeSimulation<C>,
) {
  return async (call: C): Promise<string> => {
    refuseQuery(call);
    const body = call.body as GivenCase | GivenCases;
    if ("cases" in body)
      return simulateMany(decisions, await scheduler.run(casesInSteps(body, call, limits)), call, authorize);
    const simulation = await scheduler.run(caseInSteps(body, "", {}, limits, call.requestId));
    await authorize(simulation, call);
    return simulationText(await decisions.simulate({ ...simulation, call }));
  };
}

function* casesInSteps(
  { cases, ...modes }: GivenCases,
  call: AnyCall,
  limits: DecisionLimits,
): Generator<undefined, readonly SimulationCase[]> {
  const read: SimulationCase[] = [];
  for (const [index, given] of cases.entries()) {
    read.push(yield* caseInSteps(given, `/cases/${index}`, modes, limits, call.requestId));
    yield;
  }
  return read;
}

async function simulateMany<C extends AnyCall>(
  decisions: Decisions,
  cases: readonly SimulationCase[],
  call: C,
  authorize: AuthorizeSimulation<C>,
): Promise<string> {
  for (const simulation of cases) await authorize(simulation, call);
  // One budget of work for all cases, since they are one request.
  const budget = decisions.workBudget(call);
  const results: string[] = [];
  for (const simulation of cases) {
    results.push(simulationText(await decisions.simulate({ ...simulation, budget, call })));
  }
  return `{"results":[${results.join(",")}]}`;
}

function simulationText(answer: SimulationAnswer): string {
  return JSON.stringify("effect" in answer ? checkBody(answer) : answer);
}
