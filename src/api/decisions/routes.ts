/** The routes of the decision API (spec/decision-api §2, spec/decision-api §3). */

import { AUTHZEN_ROUTES } from "./authzen/authzen-routes.ts";
import type { DecisionDeclaration } from "./declaration.ts";
import { NATIVE_ROUTES } from "./native/native-routes.ts";

/** All of them. */
export const DECISION_ROUTES: readonly DecisionDeclaration[] = [...AUTHZEN_ROUTES, ...NATIVE_ROUTES];
