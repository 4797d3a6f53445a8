/** Declared routes of the decision API, and how they become routes. */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Entrance } from "../../decisions/entrances.ts";
import type { Admission } from "../../http/admission.ts";
import { type Declaration, routeOf } from "../../http/declaration.ts";
import type { HttpCounters, HttpLog } from "../../http/ports.ts";
import type { Authenticate, Route } from "../../http/route.ts";
import type { SchemaCheck } from "../../http/schema/schema-check.ts";
import { requireScope, type Scope, type ServiceCaller } from "../service-caller.ts";
import { bodyCheck, type CheckedSchema, validatorOf } from "./body-check.ts";
import type { DecisionLimits } from "./limits.ts";
import type { DecisionMeters } from "./ports.ts";
import type { PageTokens } from "./search/page-tokens.ts";

/** Parts of the API. */
interface DecisionParts {
  readonly decisions: Decisions;
  readonly limits: DecisionLimits;
  readonly counters: HttpCounters & DecisionMeters;
  readonly admission: Admission;
  readonly log: HttpLog;
  /** For calls that last. */
  readonly authenticate: Authenticate<ServiceCaller>;
  readonly tokens: PageTokens;
  /** Host names of the S3 gateway (`gateways.s3.domain_name`). */
  readonly s3Domains: readonly string[];
  /** Checks cold bodies. */
  readonly check: SchemaCheck;
}

/** A declared route of the API. */
export interface DecisionDeclaration extends Declaration<DecisionParts, ServiceCaller> {
  /**
   * The scope that the caller's token needs. Handlers ask for `read` themselves where a call goes beyond deciding.
   */
  readonly scope: Scope;
  /** The meter that takes the time of the decisions. */
  readonly meter: Entrance;
  /** The schema by which a cold body is checked before the handler gets it; absent: the handler reads the body. */
  readonly checked?: CheckedSchema;
}

/** The routes of declarations. */
export function decisionRoutes(
  declarations: readonly DecisionDeclaration[],
  parts: Omit<DecisionParts, "check">,
): readonly Route<ServiceCaller>[] {
  const check = bodyCheck(parts.limits);
  return declarations.map(({ checked, ...declared }) => {
    const { body, heavy = false } = declared;
    const validated =
      body === undefined || checked === undefined
        ? declared
        : { ...declared, body: { ...body, validate: validatorOf(check, checked, heavy) } };
    return {
      ...routeOf(validated, { ...parts, check }, parts.limits),
      seconds: parts.counters.decisionSeconds[declared.meter],
      authorize: ({ caller }) => requireScope(caller, declared.scope),
    };
  });
}
