/** The bodies of calls and answers, under the names that callers use. Their members come from the OpenAPI document. */

import type {
  CheckAnswer,
  CheckRequest,
  Context,
  EvaluationAnswer,
  EvaluationElement,
  EvaluationRequest,
  EvaluationsRequest,
  FilterRequest,
  RequestCheck,
  SimulateRequest,
} from "@svc-authorizer/contract/decision-api.gen.ts";
import type { ActionName } from "./actions.gen.ts";

/** A value that nobody changes, at any depth: callers may pass constants. */
export type DeepReadonly<T> = T extends (...args: never) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A value that callers give: a number may also be a bigint, for identifiers of more than 53 bits. */
export type Given<T> = T extends number
  ? T | bigint
  : T extends (...args: never) => unknown
    ? T
    : T extends object
      ? { readonly [K in keyof T]: Given<T[K]> }
      : T;

/** An action: one that the catalog knows, which editors complete, or any other `service:Verb`. */
export type Action = ActionName | (string & {});

/** Condition fields of a native call. */
export type ClientContext = Given<Exclude<Context, null>>;

/** A native check (`POST /access/v1/check`). `explain` needs scope `read`. */
export type Check = Given<CheckRequest>;

/** Its answer. */
export type CheckResult = DeepReadonly<CheckAnswer>;

/** The question on which of many resources a user may act (`POST /access/v1/filter`). */
export type Filter = Given<FilterRequest>;

/** An AuthZEN access evaluation. */
export type Evaluation = Given<EvaluationRequest>;

/** An AuthZEN decision. */
export type EvaluationResult = DeepReadonly<EvaluationAnswer>;

/** Several evaluations; entities at the top are defaults of all. */
export type Evaluations = Given<Omit<EvaluationsRequest, "evaluations">> & {
  readonly evaluations: readonly Given<EvaluationElement>[];
};

/** A request to a data server, to be decided by the permission tables (`POST /access/v1/request`). */
export type DataServerRequest = Given<RequestCheck>;

/** A simulation from given policies (`POST /access/v1/simulate`): one case, or several. */
export type Simulation = Given<SimulateRequest>;
