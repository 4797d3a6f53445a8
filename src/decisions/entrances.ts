/** The entrances through which decisions are asked for. */

/** The entrance of a question; a label of metrics and a field of the audit log. */
export type Entrance = (typeof ENTRANCES)[number];

/** All of {@link Entrance}. */
export const ENTRANCES = [
  "evaluation",
  "evaluations",
  "check",
  "filter",
  "simulate",
  "request",
  "forward_auth",
  "search",
  "plan",
  "who_can",
  "what_can",
  "management",
] as const;
