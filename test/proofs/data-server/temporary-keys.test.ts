/** A real data server, asked directly with AWS's SDK and a temporary key of this service (spec/sign-in §7). */

import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { givenDataServer } from "./given-data-server.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = givenDataServer();
const PYTHON = process.env["BOTO3_PYTHON"] ?? "python3";
const isThere = spawnSync(PYTHON, ["-c", "import boto3"]).status === 0;
const TOKEN = "token-of-the-data-server-0123456789abcdef";
const SECRET_KEY = "the secret key that both programs share";

describe.skipIf(given === undefined || !isThere)("data server: temporary keys", () => {
  it("takes the key, and does not look at its session token", async () => {
    const service = await closedAfterAll(
      startAuthorizer({
        dataset: {
          format: 1,
          preconfigured: true,
          users: [{ username: "job", groups: ["Developers"] }],
        } as unknown as DatasetDocument,
        config: { "auth.api.token": TOKEN, "auth.encrypt.secret_key": SECRET_KEY } as never,
      }),
    );
    const dataServer = await closedAfterAll(
      RunningDataServer.start(given!, { kind: "local" }, false, {
        LAKEFS_AUTH_ENCRYPT_SECRET_KEY: SECRET_KEY,
        LAKEFS_AUTH_API_ENDPOINT: `${service.url}/api/v1`,
        LAKEFS_AUTH_API_TOKEN: TOKEN,
        LAKEFS_AUTH_UI_CONFIG_RBAC: "external",
        LAKEFS_AUTH_CACHE_ENABLED: "false",
      }),
    );
    const list = async (key: { access_key_id: string; secret_access_key: string }, token: string) => {
      const script = join(import.meta.dirname, "list_buckets.py");
      const env = {
        PATH: process.env["PATH"],
        HOME: dataServer.folder,
        AWS_ACCESS_KEY_ID: key.access_key_id,
        AWS_SECRET_ACCESS_KEY: key.secret_access_key,
        AWS_SESSION_TOKEN: token,
        AWS_DEFAULT_REGION: "us-east-1",
      };
      return (await promisify(execFile)(PYTHON, [script, dataServer.url], { env })).stdout.trim();
    };
    const key = await service.directory.credentials.createTemporary("job", 900);
    expect(await list(key, "any text")).toBe("listed");
    expect(await list({ ...key, secret_access_key: "guessed" }, "any text")).toBe("SignatureDoesNotMatch");
    const short = await service.directory.credentials.createTemporary("job", 1);
    while (
      await service.directory.credentials.getWithSecret(short.access_key_id).then(
        () => true,
        () => false,
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await list(short, "any text")).toBe("AccessDenied");
  });
});
