/** AWS's SDK for Python, unchanged: a token of an issuer for a key, and the key for a bucket behind forward-auth. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKey, TestIssuer } from "../identity/oidc/issuer.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { missing, type ProxyProgram, startProxy } from "./proxy-program.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";
import { PROXY_TOKEN, portFor, startBehindProxy } from "./start-behind-proxy.ts";

/** Python with boto3; CI makes an environment and names it. */
const PYTHON = process.env["BOTO3_PYTHON"] ?? "python3";
const why =
  spawnSync(PYTHON, ["-c", "import boto3"]).status === 0 ? missing("nginx") : "boto3 is not installed";

/** A program that lists buckets. */
interface Lister {
  /** The next line that it writes. */
  says(): Promise<string>;
  /** `listed`, or the code of the error. */
  list(bucket: string): Promise<string>;
  end(): Promise<void>;
}

describe.skipIf(why !== undefined)(`boto3 behind nginx${why === undefined ? "" : ` (${why})`}`, () => {
  const realNow = Date.now;
  /** Unix milliseconds at which the service's clock stands still; undefined: it goes. */
  let stopped: number | undefined;
  const folder = temporaryFolder();
  let issuer: TestIssuer;
  let authorizer: TestAuthorizer;
  let dataServer: StandIn;
  let proxy: ProxyProgram;

  beforeAll(async () => {
    Date.now = () => stopped ?? realNow();
    issuer = await TestIssuer.start(await newKey("k"));
    authorizer = await startBehindProxy("nginx", {
      "authorizer.sts.enabled": true,
      "authorizer.oidc.issuers": [
        { name: "cluster", issuer: issuer.url, audience: "authorizer", directory_users: true },
      ],
    });
    dataServer = await startStandIn();
    const upstreams = { dataServerPort: dataServer.port, authorizerPort: portFor(authorizer) };
    proxy = await startProxy("nginx", { ...upstreams, proxyToken: PROXY_TOKEN });
  });
  afterAll(async () => {
    Date.now = realNow;
    await proxy?.close();
    await dataServer?.close();
    await authorizer?.close();
    await issuer?.stop();
  });

  async function start(user: string, path = "/sts", ...args: string[]): Promise<Lister> {
    const file = join(folder, "token");
    writeFileSync(file, await issuer.token({ sub: user }));
    const child: ChildProcess = spawn(
      PYTHON,
      [join(import.meta.dirname, "list_bucket.py"), `http://127.0.0.1:${proxy.port}`, ...args],
      {
        stdio: ["pipe", "pipe", "inherit"],
        env: {
          PATH: process.env["PATH"],
          HOME: folder,
          AWS_WEB_IDENTITY_TOKEN_FILE: file,
          AWS_ROLE_ARN: `arn:svc:auth:::user/${user}`,
          AWS_ENDPOINT_URL_STS: `${authorizer.userUrl}${path}`,
          AWS_DEFAULT_REGION: "us-east-1",
          AWS_EC2_METADATA_DISABLED: "true",
        },
      },
    );
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const says = async (): Promise<string> => (await lines.next()).value ?? "ended";
    return {
      says,
      list(bucket) {
        child.stdin!.write(`${bucket}\n`);
        return says();
      },
      async end() {
        child.stdin!.end();
        if (child.exitCode === null) await once(child, "exit");
      },
    };
  }

  it.each(["/sts", "/sts/"])("lists the bucket that the user may list, by %s", async (path) => {
    const program = await start("writer", path);
    expect(await program.list("data")).toBe("listed");
    expect(dataServer.reached.at(-1)?.headers).toMatchObject({ "x-svc-user": "writer" });
    expect(dataServer.reached.at(-1)?.headers["x-amz-security-token"]).toMatch(/\./);
    expect(await program.list("other")).toBe("AccessDenied");
    await program.end();
  });

  it("lists nothing for who may not", async () => {
    const program = await start("nobody-much");
    expect(await program.list("data")).toBe("AccessDenied");
    await program.end();
  });

  it("is refused from the second on in which the key expires", async () => {
    const program = await start("writer", "/sts", "once");
    const expires = Number(await program.says()) * 1_000;
    expect(expires - realNow()).toBeGreaterThan(880_000);
    expect(await program.list("data")).toBe("listed");
    // The clock of the program may be a quarter of an hour behind: its signatures still count.
    stopped = expires - 1;
    expect(await program.list("data")).toBe("listed");
    const passed = dataServer.reached.length;
    stopped = expires;
    expect(await program.list("data")).toBe("AccessDenied");
    expect(dataServer.reached).toHaveLength(passed);
    stopped = undefined;
    await program.end();
  });
});
