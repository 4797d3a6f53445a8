/** A service whose decisions are logged, and ways to use it as people do. */

import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { onTestFinished } from "vitest";
import { type Finished, svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import type { ConfigObject } from "../../../src/config/load.ts";
import { type Answer, callTarget } from "../../api/management/kit.ts";
import { newFolder } from "../program.ts";

const ROOT_KEY = {
  access_key_id: "AKIAJROOTROOTROOTROQ",
  secret_access_key: "root-secret".padEnd(40, "x"),
};
export const OBJECTS = "arn:svc:fs:::repository";

export const allow = (action: readonly string[], resource: string | readonly string[]): Statement => ({
  effect: "allow",
  action,
  resource: typeof resource === "string" ? resource : JSON.stringify(resource),
});

export interface AccessBed {
  readonly authorizer: TestAuthorizer;
  /** Asks whether a user may do something: a decision that is logged. */
  check(user: string, action: string, resource: string): Promise<string>;
  /** Calls the management API as root. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Runs svcctl as root. */
  run(args: readonly string[], cwd?: string): Promise<Finished>;
}

/** Starts the service; the end of the test stops it. */
export async function openAccessBed(
  dataset: { readonly users: object[]; readonly groups?: object[]; readonly policies: object[] },
  config: ConfigObject = {},
): Promise<AccessBed> {
  const { users, groups = [], policies } = dataset;
  const authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [...users, { username: "root", policies: ["All"], credentials: [ROOT_KEY] }],
      groups,
      policies: [...policies, { name: "All", statement: [allow(["*"], "*")] }],
    } as unknown as DatasetDocument,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": newFolder(),
      "authorizer.node_name": "node-1",
      ...config,
    },
  });
  onTestFinished(() => authorizer.close());
  const { access_key_id, secret_access_key } = ROOT_KEY;
  const authorization = `Basic ${Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64")}`;
  return {
    authorizer,
    check: async (user, action, resource) => {
      const { effect } = await authorizer.client.check({ user, required: { action, resource } });
      return effect;
    },
    call: (method, path, body) =>
      callTarget(authorizer.userUrl, method, `/api/v1${path}`, {
        headers: { authorization },
        ...(body === undefined ? {} : { body }),
      }),
    run: (args, cwd) =>
      svcctl(args, {
        env: {
          SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
          SVCCTL_CREDENTIALS_ACCESS_KEY_ID: access_key_id,
          SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: secret_access_key,
        },
        ...(cwd === undefined ? {} : { cwd }),
      }),
  };
}
