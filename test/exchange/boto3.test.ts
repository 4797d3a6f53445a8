/** AWS's client for Python, behind nginx as deploy/exchange configures it. */

import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missing, type ProxyProgram, startProxy } from "../gateways/proxy-program.ts";
import { portFor } from "../gateways/start-behind-proxy.ts";
import { type OneKeyServer, startOneKeyServer } from "./one-key-server.ts";
import { ACCESS_KEYS, PROXY_TOKEN, SECRET, startExchange } from "./start-exchange.ts";

const PROGRAM = `
import os, sys, urllib.request, boto3
from botocore.config import Config
from botocore.exceptions import ClientError

s3 = boto3.client("s3", endpoint_url=sys.argv[1], region_name="us-east-1",
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"max_attempts": 1}))
at = {"Bucket": "data", "Key": "main/a b+ä"}
s3.put_object(Body=b"content", Metadata={"a": "b  c"}, **at)
s3.get_object(**at)
s3.head_object(**at)
s3.list_objects_v2(Bucket="data", Prefix="main/x y", Delimiter="/")
s3.copy_object(CopySource={"Bucket": "data", "Key": "main/a"}, **at)
upload = s3.create_multipart_upload(**at)["UploadId"]
s3.upload_part(PartNumber=1, UploadId=upload, Body=b"part", **at)
s3.delete_object(**at)
urllib.request.urlopen(s3.generate_presigned_url("get_object", Params=at, ExpiresIn=600)).read()
for refused in ({"Bucket": "other", "Key": "main/a"}, {"Bucket": "data", "Key": "main/_lakefs_actions/a"}):
    try:
        s3.put_object(Body=b"content", **refused)
        sys.exit("nothing refused")
    except ClientError as error:
        print(error.response["Error"]["Code"])
`;

/** The reason why the client cannot run; undefined if it can. */
function missingClient(): string | undefined {
  try {
    execFileSync("python3", ["-c", "import boto3"], { stdio: "ignore" });
    return missing("nginx");
  } catch {
    return "boto3 is not installed: pip install boto3";
  }
}

const why = missingClient();
describe.skipIf(why !== undefined)(
  `behind nginx, with one key, boto3${why === undefined ? "" : ` (${why})`}`,
  () => {
    let dataServer: OneKeyServer;
    let authorizer: TestAuthorizer;
    let proxy: ProxyProgram;
    beforeAll(async () => {
      dataServer = await startOneKeyServer();
      authorizer = await startExchange("nginx");
      const ports = { dataServerPort: dataServer.port, authorizerPort: portFor(authorizer) };
      proxy = await startProxy("nginx", { ...ports, proxyToken: PROXY_TOKEN, exchange: true });
      dataServer.arrived.length = 0;
    });
    afterAll(async () => {
      await proxy?.close();
      await authorizer?.close();
      await dataServer?.close();
    });

    it("works with a user's key, and is told what is refused", async () => {
      const env = {
        PATH: process.env["PATH"],
        AWS_ACCESS_KEY_ID: ACCESS_KEYS.get("writer"),
        AWS_SECRET_ACCESS_KEY: SECRET,
        AWS_EC2_METADATA_DISABLED: "true",
      };
      const run = promisify(execFile);
      const { stdout } = await run("python3", ["-c", PROGRAM, `http://127.0.0.1:${proxy.port}`], { env });
      expect(stdout).toBe("AccessDenied\nAccessDenied\n");
      expect(dataServer.arrived.filter(({ status }) => status !== 200)).toEqual([]);
      expect(dataServer.served).toHaveLength(9);
    });
  },
);
