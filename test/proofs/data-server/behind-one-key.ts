/** A real data server with one user behind a proxy with an exchange, and what its users send to it. */

import { S3Client } from "@aws-sdk/client-s3";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import {
  ACCESS_KEYS,
  basicOf,
  PROXY_TOKEN,
  S3_DOMAIN,
  startExchange,
  SECRET as USER_SECRET,
} from "../../exchange/start-exchange.ts";
import { type ProgramName, startProxy } from "../../gateways/proxy-program.ts";
import { portFor } from "../../gateways/start-behind-proxy.ts";
import type { GivenDataServer } from "./given-data-server.ts";
import { KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

/** The servers, with the repositories "data" and "other"; in the second is an object that is not the writer's. */
export interface BehindOneKey {
  readonly dataServer: RunningDataServer;
  readonly authorizer: TestAuthorizer;
  /** Of the proxy. */
  readonly url: string;
  /** A request of the main API. */
  api(user: string, method: string, path: string, body?: unknown): Promise<Response>;
  upload(user: string, repository: string, path: string, content: string): Promise<Response>;
  client(user: string): S3Client;
  close(): Promise<void>;
}

/** The content of the object that is not the writer's, `other/main/secret.txt`. */
export const OF_OTHERS = "of others";

const portOf = (url: string | undefined): number => Number(new URL(url ?? "").port);

/** Starts them. */
export async function startBehindOneKey(
  programs: GivenDataServer,
  name: ProgramName = "nginx",
): Promise<BehindOneKey> {
  const dataServer = await RunningDataServer.start(programs, { kind: "local" }, true, {
    LAKEFS_GATEWAYS_S3_DOMAIN_NAME: S3_DOMAIN,
  });
  const authorizer = await startExchange(name, {
    "authorizer.exchange.access_key_id": KEY,
    "authorizer.exchange.secret_access_key": SECRET,
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": dataServer.url,
  });
  const proxy = await startProxy(name, {
    dataServerPort: portOf(dataServer.url),
    authorizerPort: portFor(authorizer),
    streamingPort: portOf(authorizer.streamingUrl),
    ...(name === "nginx" && { userPort: portOf(authorizer.userUrl) }),
    proxyToken: PROXY_TOKEN,
    exchange: true,
  });
  const url = `http://127.0.0.1:${proxy.port}`;
  const send = (user: string, method: string, path: string, type: string, body?: string) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: basicOf(user), "content-type": type },
      ...(body === undefined ? {} : { body }),
    });
  const servers: BehindOneKey = {
    ...{ dataServer, authorizer, url },
    api: (user, method, path, body) =>
      send(user, method, path, "application/json", body === undefined ? undefined : JSON.stringify(body)),
    upload: (user, repository, path, content) => {
      const target = `/repositories/${repository}/branches/main/objects?path=${path}`;
      return send(user, "POST", target, "application/octet-stream", content);
    },
    client: (user) =>
      new S3Client({
        endpoint: url,
        region: "us-east-1",
        forcePathStyle: true,
        maxAttempts: 1,
        credentials: { accessKeyId: ACCESS_KEYS.get(user) as string, secretAccessKey: USER_SECRET },
      }),
    close: async () => {
      await proxy.close();
      await authorizer.close();
      await dataServer.close();
    },
  };
  for (const id of ["data", "other"]) {
    const body = { name: id, storage_namespace: `local://${id}`, default_branch: "main" };
    const { status } = await servers.api("administrator", "POST", "/repositories", body);
    if (status !== 201) throw new Error(`the repository ${id} was answered with ${status}`);
  }
  const { status } = await servers.upload("administrator", "other", "secret.txt", OF_OTHERS);
  if (status !== 201) throw new Error(`the object of others was answered with ${status}`);
  return servers;
}
