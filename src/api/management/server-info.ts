/** Versions and capabilities of the server (spec/management-cli §1, spec/management-cli §2). */

import { BASE_PATH, json, NO_CONTENT } from "../rest/operation.ts";
import { answerWith } from "../rest/operation-kinds.ts";
import { EXAMPLE_VERSIONS, versions } from "../rest/versions.ts";
import type { ManagementDeclaration } from "./declaration.ts";

const GET = { method: "GET", tag: "service", priority: "bulk" } as const;

/** The operations. `version_context` stays absent: clients warn of any other than their own. */
export const SERVER_INFO_OPERATIONS: readonly ManagementDeclaration[] = [
  {
    ...GET,
    access: "open",
    id: "healthCheck",
    path: `${BASE_PATH}/healthcheck`,
    summary: "Whether the management API answers",
    description: "Answers 204 as soon as the listener serves requests.",
    answer: { status: 204, description: "It does." },
    handler: () => () => NO_CONTENT,
  },
  {
    ...GET,
    access: "open",
    id: "getAuthCapabilities",
    path: `${BASE_PATH}/auth/capabilities`,
    summary: "What can be done",
    description: "Whether users can be invited by mail.",
    answer: answerWith(200, "Capabilities", { invite_user: true, forgot_password: false }),
    handler:
      ({ invitations, passwordResets }) =>
      () =>
        json(200, {
          invite_user: invitations.available,
          forgot_password: invitations.available && passwordResets !== undefined,
        }),
  },
  {
    ...GET,
    access: "user",
    id: "getConfig",
    path: `${BASE_PATH}/config`,
    summary: "Version, capabilities, and what the configuration says to clients",
    description: "What command line clients ask before their first call.",
    answer: answerWith(200, "Config", {
      version_config: { version: "1.0.0" },
      capabilities_config: {},
      partition: "svc",
      decision_log: true,
      decision_log_include: "denied",
      counts_use: true,
      mirror_regions: ["west"],
    }),
    handler:
      ({ version, vocabulary: { partition }, records, usage, mirrors }) =>
      () =>
        json(200, {
          version_config: { version },
          capabilities_config: {},
          partition,
          decision_log: records !== undefined,
          decision_log_include: records?.include ?? "none",
          counts_use: usage !== undefined,
          mirror_regions: mirrors?.regions ?? [],
        }),
  },
  {
    ...GET,
    access: "user",
    id: "getVersion",
    path: `${BASE_PATH}/config/version`,
    summary: "Get the version",
    description: "The version of the service and of the policy set that decides.",
    answer: answerWith(200, "Versions", EXAMPLE_VERSIONS),
    handler: versions,
  },
];
