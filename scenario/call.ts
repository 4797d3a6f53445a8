/** Calls of a policy decision point over HTTPS or HTTP. */

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** Where the policy decision point is and how to be let in. */
export interface Target {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Certificates to trust besides those of the system. */
  readonly ca?: string;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON, undefined where the body is none. */
  readonly body: unknown;
}

/** A request. */
interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Sends a request and reads its answer. */
export function call(target: Target, { method, path, headers, text }: Call): Promise<Answer> {
  const send = target.url.startsWith("https:") ? httpsRequest : httpRequest;
  const options = {
    method,
    headers: {
      authorization: `Bearer ${target.token}`,
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...Object.fromEntries(
        Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    },
    ...(target.ca === undefined ? {} : { ca: target.ca }),
  };
  return new Promise((resolve, reject) => {
    const request = send(target.url + path, options, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const body = parsed(Buffer.concat(pieces).toString("utf8"));
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
