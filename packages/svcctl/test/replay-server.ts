import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** The answer to the next request. */
export interface Answer {
  status: number;
  /** An object goes out as JSON, a text as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request that the server received. */
interface Asked {
  /** `GET /api/v1/user`. */
  line: string;
  body: unknown;
  headers: IncomingHttpHeaders;
}

export interface ReplayServer {
  url: string;
  asked: Asked[];
  /** Variables that make svcctl call this server. */
  env: Record<string, string>;
}

/** Answers requests in the order of `answers`; the last one answers all that follow. */
export async function replay(answers: readonly Answer[]): Promise<ReplayServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? { status: 500 };
    asked.push({
      line: `${request.method} ${request.url}`,
      body: body === "" ? undefined : JSON.parse(body),
      headers: request.headers,
    });
    const isText = typeof answer.body === "string" || answer.body === undefined;
    response.writeHead(answer.status, {
      "content-type": isText ? "text/html" : "application/json",
      ...answer.headers,
    });
    response.end(isText ? answer.body : JSON.stringify(answer.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: url,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "a-secret-for-tests",
      SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
      SVCCTL_SERVER_RETRIES_MAX_WAIT_INTERVAL: "2ms",
    },
  };
}
