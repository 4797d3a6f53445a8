/** The schemas of the bodies of the decision API. */

import type { Schemas } from "../../http/openapi/openapi-types.ts";
import { AUTHZEN_SCHEMAS } from "./schemas/authzen.ts";
import { EXPLANATION_SCHEMAS } from "./schemas/explanation.ts";
import { NATIVE_SCHEMAS } from "./schemas/native.ts";
import { REQUEST_SCHEMAS } from "./schemas/requests.ts";
import { REQUIREMENT_SCHEMAS } from "./schemas/requirements.ts";
import { SEARCH_SCHEMAS } from "./schemas/searches.ts";
import { SIMULATION_SCHEMAS } from "./schemas/simulation.ts";

/** All of them, by name. */
export const DECISION_SCHEMAS: Schemas = {
  ...AUTHZEN_SCHEMAS,
  ...NATIVE_SCHEMAS,
  ...REQUEST_SCHEMAS,
  ...SIMULATION_SCHEMAS,
  ...SEARCH_SCHEMAS,
  ...REQUIREMENT_SCHEMAS,
  ...EXPLANATION_SCHEMAS,
};
