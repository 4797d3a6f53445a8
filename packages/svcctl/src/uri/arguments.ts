/** Arguments that many commands on repositories take: their name in help, and how many there must be. */

import type { ArgumentSpec } from "@svc-authorizer/commands/command-spec.ts";

export const REPOSITORY: ArgumentSpec = { arguments: "<repository-uri>", argumentCount: [1, 1] };
export const BRANCH: ArgumentSpec = { arguments: "<branch-uri>", argumentCount: [1, 1] };
export const TAG: ArgumentSpec = { arguments: "<tag-uri>", argumentCount: [1, 1] };
export const COMMIT: ArgumentSpec = { arguments: "<commit-uri>", argumentCount: [1, 1] };
export const PATH: ArgumentSpec = { arguments: "<path-uri>", argumentCount: [1, 1] };

/** The repository URI in examples. */
export const EXAMPLE = "svc://example-repo";
