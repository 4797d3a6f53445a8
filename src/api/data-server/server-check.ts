/** The two calls that a data server makes when it starts (spec/authorization-api §7, operations 36 and 37). */

import { BASE_PATH, NO_CONTENT } from "../rest/operation.ts";
import { answerWith } from "../rest/operation-kinds.ts";
import { EXAMPLE_VERSIONS, versions } from "../rest/versions.ts";
import type { DataServerDeclaration } from "./declaration.ts";

/**
 * The operations. The health check is open and answers 204 and nothing else; the version needs the token, so that a
 * wrong one is found when a data server starts.
 */
export const SERVER_CHECK_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    method: "GET",
    priority: "hot",
    tag: "service",
    id: "healthCheck",
    path: `${BASE_PATH}/healthcheck`,
    summary: "Whether the data-server API answers",
    description: "A data server waits for this answer when it starts.",
    answer: { status: 204, description: "It does." },
    errors: [503],
    handler: () => () => NO_CONTENT,
  },
  {
    method: "GET",
    scope: "read",
    tag: "service",
    id: "getVersion",
    path: `${BASE_PATH}/config/version`,
    summary: "Get the version",
    description:
      "The version of the service and of the policy set that decides. Needs the token, so that a wrong one is found when a data server starts.",
    priority: "hot",
    answer: answerWith(200, "Versions", EXAMPLE_VERSIONS),
    handler: versions,
  },
];
