/** A real service with a small data set, and ways to call it. */

import { connect, type Socket } from "node:net";
import type { DatasetDocument } from "../../src/datasets/dataset.ts";
import { type StartOptions, startAuthorizer, type TestAuthorizer } from "../../src/testing/start-authorizer.ts";

/** Alice reads everything below `data`, but for what is denied; mallory has a broken policy and may do nothing. */
export const DATASET: DatasetDocument = {
  format: 1,
  users: [
    { username: "alice", policies: ["Reads", "NoSecrets"], properties: { department: "sales" } },
    { username: "bob", policies: ["Office"] },
    { username: "carol" },
  ],
  policies: [
    {
      name: "Reads",
      statement: [
        { effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/data*" },
        { effect: "allow", action: ["fs:ReadRepository"], resource: "arn:svc:fs:::repository/open" },
      ],
    },
    {
      name: "NoSecrets",
      statement: [{ effect: "deny", action: ["fs:*"], resource: "arn:svc:fs:::repository/data/object/secret*" }],
    },
    {
      name: "Office",
      statement: [
        {
          effect: "allow",
          action: ["fs:ReadObject"],
          resource: "*",
          condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
        },
      ],
    },
  ],
} as unknown as DatasetDocument;

/** Starts a service with {@link DATASET}. */
export function startService(config: StartOptions["config"] = {}): Promise<TestAuthorizer> {
  return startAuthorizer({ dataset: DATASET, config: { "logging.level": "NONE", ...config } });
}

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** Posts a JSON value, or a body as it is. */
export async function post(
  service: { readonly url: string; readonly token: string },
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(service.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${service.token}`, ...headers },
    body: (raw ? body : JSON.stringify(body)) as BodyInit,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes bytes to a listener and gives all that comes back until it closes, or until `until` is in it. */
export function raw(url: string, bytes: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connectTo(url);
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.on("data", (piece) => {
      received += piece.toString("latin1");
      if (until?.test(received)) {
        socket.destroy();
        resolve(received);
      }
    });
    socket.write(bytes);
  });
}

/** A connection to a listener. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** The text of a request with a body, to be written to a socket. */
export function requestText(
  service: { readonly token: string },
  path: string,
  body: string,
  headers: readonly string[] = [],
): string {
  return [
    `POST ${path} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${service.token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    "",
    body,
  ].join("\r\n");
}
