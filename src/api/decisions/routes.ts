/** Everything that the decision API serves (decision-api.md §2, decision-api.md §3), and the schemas of its bodies. */

import type { Schemas } from "../../http/openapi-types.ts";
import { AUTHZEN_ROUTES } from "./authzen-routes.ts";
import type { DecisionDeclaration } from "./declaration.ts";
import { NATIVE_ROUTES } from "./native-routes.ts";
import { AUTHZEN_SCHEMAS } from "./schemas/authzen.ts";
import { EXPLANATION_SCHEMAS } from "./schemas/explanation.ts";
import { NATIVE_SCHEMAS } from "./schemas/native.ts";
import { REQUEST_SCHEMAS } from "./schemas/requests.ts";
import { REQUIREMENT_SCHEMAS } from "./schemas/requirements.ts";
import { SEARCH_SCHEMAS } from "./schemas/searches.ts";
import { SIMULATION_SCHEMAS } from "./schemas/simulation.ts";

/** The routes. */
export const DECISION_ROUTES: readonly DecisionDeclaration[] = [...AUTHZEN_ROUTES, ...NATIVE_ROUTES];

/** The schemas that the routes refer to. */
export const DECISION_SCHEMAS: Schemas = {
  ...AUTHZEN_SCHEMAS,
  ...NATIVE_SCHEMAS,
  ...REQUEST_SCHEMAS,
  ...SIMULATION_SCHEMAS,
  ...SEARCH_SCHEMAS,
  ...REQUIREMENT_SCHEMAS,
  ...EXPLANATION_SCHEMAS,
};
