import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { svcctl } from "../run-svcctl.ts";

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  asked: number,
) => void | Promise<void>;

export const md5 = (content: Buffer) => createHash("md5").update(content).digest("hex");
export const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** A server whose answer to the n-th request for a path is up to the test. */
export async function server(handlers: Record<string, Handler>) {
  const counts = new Map<string, number>();
  const asked: IncomingMessage[] = [];
  const listening = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://x");
    const [, handler] = Object.entries(handlers).find(([end]) => pathname.endsWith(end)) ?? [];
    const count = (counts.get(pathname) ?? 0) + 1;
    counts.set(pathname, count);
    asked.push(request);
    if (handler === undefined) return json(response, 404, { message: "not found" });
    await handler(request, response, count);
  });
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const env = {
    SVCCTL_SERVER_ENDPOINT_URL: url,
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "a-secret-for-tests",
    SVCCTL_SERVER_RETRIES_MAX_ATTEMPTS: "2",
    SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
    SVCCTL_SERVER_RETRIES_MAX_WAIT_INTERVAL: "2ms",
  };
  return { url, env, asked };
}

export const UPLOAD = ["fs", "upload", "svc://example-repo/main/a", "--source", "a", "--pre-sign=false"];

export async function upload(handler: Handler, content = "content", more = {}) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a"), content);
  const { env, asked } = await server({ "/objects": handler });
  return { ...(await svcctl(UPLOAD, { cwd, env: { ...env, ...more } })), asked };
}

export const stored: Handler = async (request, response) => {
  const content = await buffer(request);
  json(response, 201, { path: "a", size_bytes: content.length, checksum: md5(content) });
};
export const CONTENT = Buffer.from("0123456789".repeat(30_000));
export const DOWNLOAD = ["fs", "download", "svc://example-repo/main/a", "a", "--pre-sign=false"];
export const IN_PARTS = [...DOWNLOAD, "--part-size", "65536"];

/** A server of one object, whose content is up to the test. */
export async function holding(handler: Handler, content = CONTENT, checksum = md5(content)) {
  return server({
    "/objects/stat": (_, response) =>
      void json(response, 200, { path: "a", size_bytes: content.length, checksum }),
    "/objects": handler,
  });
}

export const whole =
  (content: Buffer): Handler =>
  (request, response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (range === null) return void response.writeHead(200).end(content);
    const part = content.subarray(Number(range[1]), Number(range[2]) + 1);
    response.writeHead(206).end(part);
  };

/** Answers with so many bytes of the range at most, and then cuts the connection. */
export const cutAfter =
  (bytes: number) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const [start = 0, last = 0] = (/\d+-\d+/.exec(request.headers.range ?? "")?.[0] ?? "")
      .split("-")
      .map(Number);
    const part = CONTENT.subarray(start, last + 1);
    response.writeHead(206, { "content-length": part.length });
    response.write(part.subarray(0, bytes), () => void response.socket?.end());
  };
