/** A real data server whose users are here: its own tool signs in with an identity of AWS, which a stand-in of AWS verifies. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { startSts } from "../../identity/aws-iam/sts-stand-in.ts";
import { givenDataServer } from "./given-data-server.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = givenDataServer();
const ROLE = "arn:aws:sts::123456789012:assumed-role/Jobs";
const JOB = { accessKeyId: "ASIAJOBJOBJOBJOBJOBQ", secret: "secret of the job", arn: `${ROLE}/nightly` };
const TOKEN = "token-of-the-data-server-0123456789abcdef";
const SECRET_KEY = "the secret key that both programs share";

describe.skipIf(given === undefined)("data server: identities of AWS", () => {
  it("let its own tool sign in through it, and is refused with a wrong secret", async () => {
    const sts = await closedAfterAll(startSts([JOB]));
    const service = await closedAfterAll(
      startAuthorizer({
        dataset: {
          format: 1,
          preconfigured: true,
          users: [{ username: "job", groups: ["Developers"], external_principals: [ROLE] }],
        } as unknown as DatasetDocument,
        config: {
          "auth.api.token": TOKEN,
          "auth.encrypt.secret_key": SECRET_KEY,
          "authorizer.aws_iam.enabled": true,
          "authorizer.aws_iam.server_id": "localhost",
          "authorizer.aws_iam.sts_hosts": [sts.host],
          "authorizer.authentication_api.enabled": true,
          "authorizer.authentication_api.trusted_servers": ["loopback"],
        } as never,
      }),
    );
    const dataServer = await closedAfterAll(
      RunningDataServer.start(given!, { kind: "local" }, false, {
        LAKEFS_AUTH_ENCRYPT_SECRET_KEY: SECRET_KEY,
        LAKEFS_AUTH_API_ENDPOINT: `${service.url}/api/v1`,
        LAKEFS_AUTH_API_TOKEN: TOKEN,
        LAKEFS_AUTH_UI_CONFIG_RBAC: "external",
        LAKEFS_AUTH_AUTHENTICATION_API_ENDPOINT: `${service.url}/authentication/v1`,
        LAKEFS_AUTH_AUTHENTICATION_API_EXTERNAL_PRINCIPALS_ENABLED: "true",
      }),
    );
    const list = (secret: string, more: Record<string, string> = {}) =>
      promisify(execFile)(given!.tool, ["repo", "list"], {
        env: {
          PATH: process.env["PATH"],
          HOME: dataServer.folder,
          LAKECTL_SERVER_ENDPOINT_URL: dataServer.url,
          LAKECTL_CREDENTIALS_PROVIDER_TYPE: "aws_iam",
          LAKECTL_SKIP_ENTERPRISE_CHECK: "true",
          AWS_ACCESS_KEY_ID: JOB.accessKeyId,
          AWS_SECRET_ACCESS_KEY: secret,
          AWS_REGION: "us-east-1",
          AWS_ENDPOINT_URL_STS: `http://${sts.host}`,
          ...more,
        },
      }).then(
        ({ stdout }) => ({ code: 0, text: stdout }),
        (error: { code?: number; stdout?: string; stderr?: string }) => ({
          code: error.code ?? -1,
          text: `${error.stdout}${error.stderr}`,
        }),
      );
    const refused = await list("guessed");
    expect(refused.code, refused.text).toBe(1);
    // Some versions of the tool ask once more, for the same identity.
    expect(new Set(sts.reached.map(({ target }) => target)).size).toBe(1);
    const listed = await list(JOB.secret);
    expect(listed, JSON.stringify(sts.reached)).toMatchObject({ code: 0 });
    expect(sts.reached.at(-1)?.serverId).toBe("localhost");
  });
});
