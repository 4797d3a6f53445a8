/** The decision use cases with spans: of each decision, and of work on many. They say what was decided, not from what. */

import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { CheckAnswer, Decisions, EvaluationAnswer, SimulationAnswer } from "../decisions/decisions.ts";
import type { RequestAnswer } from "../decisions/requests.ts";
import type { Searches } from "../decisions/searches.ts";
import type { Attributes, Traces } from "./traces.ts";

const DECIDE = "decide";
const P = "svc_authorizer.decision.";

/** True for a part that spans leave out, because the decision log masks it (`authorizer.decision_log.mask`). */
type IsHidden = (part: "subject" | "action" | "resource" | "operation") => boolean;

/** The same use cases; each call within a traced request has a span. */
export function tracedDecisions(decisions: Decisions, traces: Traces, isHidden: IsHidden): Decisions {
  const note = (answer: Attributes): Attributes => {
    traces.describe(answer);
    return answer;
  };
  const shown = shownBut(isHidden);
  return {
    ...decisions,
    check: (request) => {
      if (!traces.active) return decisions.check(request);
      const about = (answer: CheckAnswer): Attributes => {
        traces.decided(answer.effect);
        const [action, resource] = leafOf(request.required);
        return note({ ...shown(request.user, action, resource), ...ofCheck(answer, request.entrance) });
      };
      return traces.within(DECIDE, () => decisions.check(request), about);
    },
    evaluate: (request) => {
      if (!traces.active) return decisions.evaluate(request);
      const { subject, action, resource, entrance } = request;
      const about = (answer: EvaluationAnswer): Attributes => {
        traces.decided(answer.decision ? "allow" : "deny");
        return note({
          ...shown(subject.id, action.name, `${resource.type}/${resource.id}`),
          [`${P}entrance`]: entrance,
          [`${P}allowed`]: answer.decision,
          [`${P}id`]: answer.context?.id,
        });
      };
      return traces.within(DECIDE, () => decisions.evaluate(request), about);
    },
    cachedOutcomes: (subject, actionName, budget, batch) => {
      const outcomes = decisions.cachedOutcomes(subject, actionName, budget, batch);
      if (outcomes === undefined || !traces.active) return outcomes;
      return (...asked) => {
        const outcome = outcomes(...asked);
        if (outcome !== undefined) traces.decided(outcome.effect);
        return outcome;
      };
    },
    filter: (request) => {
      const about = (allowed: readonly number[]): Attributes => ({
        ...shown(request.user, request.action),
        [`${P}resources`]: request.resources.length,
        [`${P}resources_allowed`]: allowed.length,
      });
      return traces.within("filter", () => decisions.filter(request), about);
    },
    request: (asked) => {
      if (!traces.active) return decisions.request(asked);
      const about = (answer: RequestAnswer): Attributes => {
        traces.decided(answer.effect);
        const [action, resource] = leafOf(answer.required);
        return note({
          ...shown(asked.user, action, resource),
          ...ofCheck(answer, asked.entrance),
          ...(!isHidden("operation") && { [`${P}operation`]: answer.operation ?? undefined }),
        });
      };
      return traces.within(DECIDE, () => decisions.request(asked), about);
    },
    simulate: (simulation) => {
      const about = (answer: SimulationAnswer): Attributes =>
        "effect" in answer ? ofCheck(answer, "simulate") : { [`${P}entrance`]: "simulate" };
      return traces.within("simulate", () => decisions.simulate(simulation), about);
    },
    effectivePolicies: (username) =>
      traces.active
        ? traces.within("effective policies", () => decisions.effectivePolicies(username))
        : decisions.effectivePolicies(username),
    searches: tracedSearches(decisions.searches, traces),
  };
}

/** The attributes of a question, without what is hidden. */
function shownBut(isHidden: IsHidden) {
  const [subject, action, resource] = [isHidden("subject"), isHidden("action"), isHidden("resource")];
  return (user: string | undefined, asked?: string, on?: string): Attributes => ({
    [`${P}user`]: subject ? undefined : user,
    [`${P}action`]: action ? undefined : asked,
    [`${P}resource`]: resource ? undefined : on,
  });
}

function tracedSearches(searches: Searches, traces: Traces): Searches {
  const found = ({ results }: { readonly results: readonly unknown[] }): Attributes => ({
    "svc_authorizer.search.results": results.length,
  });
  return {
    subjects: (search, signal) =>
      traces.within("search subjects", () => searches.subjects(search, signal), found),
    resources: (search, signal) =>
      traces.within("search resources", () => searches.resources(search, signal), found),
    actions: (search, signal) =>
      traces.within("search actions", () => searches.actions(search, signal), found),
    whoCan: (question, signal) => traces.within("who can", () => searches.whoCan(question, signal), found),
    whatCan: (question, signal) => traces.within("what can", () => searches.whatCan(question, signal), found),
    plan: (request, signal) => traces.within("plan", () => searches.plan(request, signal)),
  };
}

function ofCheck({ effect, id, reason }: CheckAnswer | RequestAnswer, entrance: string): Attributes {
  return {
    [`${P}entrance`]: entrance,
    [`${P}effect`]: effect,
    [`${P}allowed`]: effect === "allow",
    [`${P}id`]: id,
    [`${P}reason`]: reason,
  };
}

function leafOf(required: RequiredPermissions | null): readonly [action?: string, resource?: string] {
  return required !== null && "action" in required ? [required.action, required.resource] : [];
}
