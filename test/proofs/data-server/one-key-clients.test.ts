/**
 * Programs of others on a real data server with one user, through a proxy with an exchange and with a user's own key: each
 * writes and reads in the repository that is the user's, and is refused in another.
 */

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCESS_KEYS, SECRET } from "../../exchange/start-exchange.ts";
import { missing } from "../../gateways/proxy-program.ts";
import { type BehindOneKey, startBehindOneKey } from "./behind-one-key.ts";
import { givenDataServer } from "./given-data-server.ts";

const run = promisify(execFile);
const given = givenDataServer();

interface Client {
  readonly name: string;
  /** A command that succeeds where the client is installed. */
  readonly probe: readonly [string, ...string[]];
  /** Writes the file `given` below a repository under the client's name, and reads it to the file `read`. */
  readonly command: (url: string, repository: string) => readonly [string, ...string[]];
}

const python = (name: string, module: string, text: string): Client => ({
  name,
  probe: ["python3", "-c", `import ${module}`],
  command: (url, repository) => ["python3", "-c", text, url, repository],
});
const OF_PYTHON = "import os, sys\nurl, repository = sys.argv[1:]\nhost = url.removeprefix('http://')\n";
const KEYS = "os.environ['AWS_ACCESS_KEY_ID'], os.environ['AWS_SECRET_ACCESS_KEY']";

const OWN = join(import.meta.dirname, "s3-clients");
/** Libraries of Java and the program of Go, fetched once for all working copies. */
const KEPT = join(homedir(), ".cache", "svc-authorizer", "s3-clients");
const MINIO_GO = join(KEPT, "minio-go");

const java = (name: string, library: string, file: string): Client => ({
  name,
  probe: ["sh", "-c", `java -version && ls "${KEPT}"/${library}-[0-9]*.jar`],
  command: (url, repository) => ["java", "-cp", `${KEPT}/*`, join(OWN, "java", file), url, repository],
});

const CLIENTS: readonly Client[] = [
  java("aws-java-1", "aws-java-sdk-s3", "SdkV1.java"),
  java("aws-java-2", "s3", "SdkV2.java"),
  {
    name: "minio-go",
    probe: ["go", "-C", join(OWN, "go"), "build", "-o", MINIO_GO, "."],
    command: (url, repository) => [MINIO_GO, url, repository],
  },
  {
    name: "aws",
    probe: ["aws", "--version"],
    command: (url, repository) => [
      "sh",
      "-c",
      `aws --endpoint-url ${url} s3 cp given s3://${repository}/main/aws && aws --endpoint-url ${url} s3 cp s3://${repository}/main/aws read`,
    ],
  },
  {
    name: "rclone",
    probe: ["rclone", "version"],
    command: (url, repository) => {
      const remote = `:s3,provider=Other,env_auth=true,region=us-east-1,endpoint='${url}':${repository}/main/rclone`;
      const once = "--retries 1 --low-level-retries 1 --s3-no-check-bucket";
      return [
        "sh",
        "-c",
        `rclone ${once} copyto given "${remote}" && rclone ${once} copyto "${remote}" read`,
      ];
    },
  },
  python(
    "boto3",
    "boto3",
    `${OF_PYTHON}import boto3
from botocore.config import Config
s3 = boto3.client("s3", endpoint_url=url, config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}))
s3.upload_file("given", repository, "main/boto3")
s3.download_file(repository, "main/boto3", "read")`,
  ),
  python(
    "minio",
    "minio",
    `${OF_PYTHON}from minio import Minio
access, secret = ${KEYS}
s3 = Minio(endpoint=host, access_key=access, secret_key=secret, secure=False, region="us-east-1")
s3.fput_object(bucket_name=repository, object_name="main/minio", file_path="given")
s3.fget_object(bucket_name=repository, object_name="main/minio", file_path="read")`,
  ),
  python(
    "pyarrow",
    "pyarrow.fs",
    `${OF_PYTHON}from pyarrow import fs
access, secret = ${KEYS}
s3 = fs.S3FileSystem(access_key=access, secret_key=secret, endpoint_override=host, scheme="http", region="us-east-1")
with s3.open_output_stream(repository + "/main/pyarrow") as out:
    out.write(open("given", "rb").read())
open("read", "wb").write(s3.open_input_file(repository + "/main/pyarrow").read())`,
  ),
  python(
    "lakefs",
    "lakefs",
    `${OF_PYTHON}import lakefs
from lakefs.client import Client
access, secret = ${KEYS}
client = Client(host=url, username=access, password=secret)
branch = lakefs.Repository(repository, client=client).branch("main")
branch.object("lakefs").upload(data=open("given", "rb").read(), mode="wb")
open("read", "wb").write(branch.object("lakefs").reader(mode="rb").read())
branch.commit("by its SDK")`,
  ),
];

function isMissing({ probe: [program, ...args] }: Client): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
}

describe.skipIf(given === undefined || missing("nginx") !== undefined)(
  "clients of a data server with one user",
  () => {
    let servers: BehindOneKey;
    let folder: string;
    beforeAll(async () => {
      servers = await startBehindOneKey(given as NonNullable<typeof given>);
      folder = mkdtempSync(join(tmpdir(), "clients-"));
    });
    afterAll(async () => {
      await servers?.close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    });

    for (const client of CLIENTS) {
      const isAbsent = given === undefined || isMissing(client);
      it.skipIf(isAbsent)(`${client.name} writes and reads what is its user's`, () => works(client));
    }

    async function works({ name, command }: Client): Promise<void> {
      const content = `by ${name}`;
      writeFileSync(join(folder, "given"), content);
      const env = {
        PATH: process.env["PATH"],
        HOME: folder,
        PYENV_VERSION: process.env["PYENV_VERSION"],
        AWS_ACCESS_KEY_ID: ACCESS_KEYS.get("writer"),
        AWS_SECRET_ACCESS_KEY: SECRET,
        AWS_DEFAULT_REGION: "us-east-1",
        AWS_EC2_METADATA_DISABLED: "true",
      };
      const [program, ...args] = command(servers.url, "data");
      await run(program, args, { env, cwd: folder });
      expect(readFileSync(join(folder, "read"), "utf8")).toBe(content);
      const stored = await servers.api("writer", "GET", `/repositories/data/refs/main/objects?path=${name}`);
      expect(await stored.text()).toBe(content);
      const [refused, ...others] = command(servers.url, "other");
      await expect(run(refused, others, { env, cwd: folder })).rejects.toThrow();
      const path = `/repositories/other/refs/main/objects?path=${name}`;
      expect((await servers.api("administrator", "GET", path)).status).toBe(404);
    }
  },
);
