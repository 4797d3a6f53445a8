/**
 * The modules that ask the engine for decisions. Each is declared with the row of the corpus that goes through it, or with
 * the reason why none has to: a module that is new here is in the corpus, or this list says why not.
 */
import type { Entrance } from "../../src/decisions/entrances.ts";

/** Entrances beside those of the service. */
export const OTHER_ENTRANCES = [
  "embedded point that follows",
  "embedded point from a data set",
  "SQL of a plan",
  "Envoy over gRPC",
  "svcctl policy explain",
  "svcctl policy test",
] as const;

/** A row of the corpus. */
export type CorpusRow = Entrance | (typeof OTHER_ENTRANCES)[number];

/** Module → its rows, or why it has none. */
export const DECIDERS: Readonly<Record<string, readonly CorpusRow[] | string>> = {
  "src/decisions/check/authzen.ts": ["evaluation", "evaluations"],
  "src/decisions/check/deciding.ts": ["check", "management"],
  "src/decisions/check/filtering.ts": ["filter"],
  "src/decisions/check/requesting.ts": ["request", "forward_auth", "Envoy over gRPC"],
  "src/decisions/check/simulating.ts": ["simulate"],
  "src/decisions/plan/planning.ts": ["plan", "SQL of a plan"],
  "src/decisions/search/action-listing.ts": ["what_can"],
  "src/decisions/search/entity-searching.ts": ["search"],
  "src/decisions/search/native-searching.ts": ["who_can"],
  "src/decisions/search/resource-searching.ts": ["search"],
  "src/decisions/search/user-search.ts": ["search", "who_can"],
  "packages/client/src/embedded/decision-point.ts": [
    "embedded point that follows",
    "embedded point from a data set",
  ],
  "packages/svcctl/src/policy/explain-command.ts": ["svcctl policy explain"],
  "packages/policy/src/analysis/files/run-tests.ts": ["svcctl policy test"],
  "src/decision-log/explain-record.ts": "explains the recorded fields of a decision that was made",
  "packages/policy/src/records/replay/replay.ts": "decides recorded fields again",
  "src/insight/access-review/suggest/allow-statements.ts":
    "looks whether suggested statements cover recorded use",
  "src/insight/access-review/suggest/used-requests.ts":
    "looks whether suggested statements cover recorded use",
  "src/insight/access-review/review/reviewed-access.ts":
    "asks about policies without conditions on a request",
  "packages/policy/src/analysis/compare/counterexample.ts": "confirms the example of a difference",
  "packages/policy/src/analysis/escalation/escalation-paths.ts": "asks what users could make of their rights",
  "src/decisions/index-builds.ts": "reads which actions policies name",
  "src/usage/user-use.ts": "reads which actions policies name",
};
