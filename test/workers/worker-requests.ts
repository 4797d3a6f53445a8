/** Requests to a service that runs as several workers, and the workers themselves. */

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { expect } from "vitest";
import type { RunningProgram } from "../end-to-end/program.ts";

/** The token of the service in each configuration of these tests. */
export const TOKEN = "a-token-that-only-this-test-knows-0123456789";

/** The answer of one worker. */
interface Asked {
  readonly status: number;
  readonly body: string;
  /** The process that answered: request ids begin with a text of its own. */
  readonly worker: string;
}

/**
 * Sends a request on a connection of its own, which goes to the next worker.
 * @param body sent as JSON
 * @param headers beside, or in place of, the service's token and the content type
 */
export function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const all = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent: new Agent(), headers: all }, (answer) => {
      let text = "";
      answer.on("data", (piece) => {
        text += piece;
      });
      answer.on("error", reject);
      answer.on("end", () => {
        const id = String(answer.headers["x-request-id"]);
        resolve({ status: answer.statusCode ?? 0, body: text, worker: id.slice(0, id.lastIndexOf("-")) });
      });
    });
    sent.on("error", reject);
    sent.setTimeout(20_000, () => sent.destroy(new Error("no answer within 20 s")));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A question to a service whether a user may read a certain object. */
export function decision(service: string, username: string): () => Promise<Asked> {
  return () =>
    ask(service, "POST", "/access/v1/evaluation", {
      subject: { type: "user", id: username },
      action: { name: "fs:ReadObject" },
      resource: { type: "object", id: "arn:svc:fs:::repository/r/object/o" },
    });
}

/** Asks until both workers have answered, at least so many times. */
export async function askBoth(times: number, one: () => Promise<Asked>): Promise<readonly Asked[]> {
  const answers: Asked[] = [];
  while (answers.length < times || new Set(answers.map(({ worker }) => worker)).size < 2) {
    expect(answers.length).toBeLessThan(200);
    answers.push(await one());
  }
  return answers;
}

/** Ids of the workers of a program; none where it has ended. */
export function workerPids({ child: { pid, exitCode, signalCode } }: RunningProgram): number[] {
  if (exitCode !== null || signalCode !== null) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.trim().split(" ").map(Number).filter(isWorker);
}

/** Whether a process is there and is a worker. */
export function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("worker-main");
  } catch {
    return false;
  }
}
