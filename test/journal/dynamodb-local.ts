/**
 * AWS's DynamoDB Local as a process of its own. It needs Java and its packages, which Maven fetches:
 * `mvn -q -f build/dynamodb-local dependency:copy-dependencies`.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../free-port.ts";

const FOLDER = join(homedir(), ".cache", "svc-authorizer", "dynamodb-local");
const START_MS = 60_000;
/** A server that lives for a minute gains nothing by what the second compiler and the other collectors take. */
const JAVA_OPTIONS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/** True where DynamoDB Local and Java are installed. */
export function hasDynamodbLocal(): boolean {
  if (!existsSync(FOLDER) || !readdirSync(FOLDER).some((name) => /^DynamoDBLocal.*\.jar$/.test(name))) {
    return false;
  }
  try {
    execFileSync("java", ["-version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A running server with nothing in it. */
export interface DynamodbLocal {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts a server, which takes a few seconds. */
export async function startDynamodbLocal(): Promise<DynamodbLocal> {
  const port = await freePort();
  const main = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner";
  const classes = ["-Djava.library.path=.", "-cp", "./*"];
  const server = spawn(
    "java",
    [...JAVA_OPTIONS, ...classes, main, "-inMemory", "-disableTelemetry", "-port", String(port)],
    {
      cwd: FOLDER,
      stdio: "ignore",
    },
  );
  const endpoint = `http://127.0.0.1:${port}`;
  await listening(server, endpoint);
  return {
    endpoint,
    close: async () => {
      server.kill("SIGKILL");
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    },
  };
}

async function listening(server: ChildProcess, endpoint: string): Promise<void> {
  const end = performance.now() + START_MS;
  for (;;) {
    // Any answer will do: it refuses a request without a signature.
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (server.exitCode !== null || performance.now() > end) throw new Error("DynamoDB Local did not start");
    await delay(100);
  }
}
