/** The service as a benchmark runs it, and the users and requests it is asked about. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchPolicies, benchResource } from "./engine.ts";
import { type StartedServer, startServer } from "./processes.ts";

/** Folder of this run. */
export const folder = mkdtempSync(join(tmpdir(), "svc-authorizer-bench-"));
/** Bearer token of this run. */
export const token = randomBytes(32).toString("base64url");
/** Statements of the users who ask: `u10`, `u1000`, `u10000`. */
export const SIZES: readonly number[] = [10, 1000, 10_000];

const BODIES = 2000;
/** The clone. */
export const root = new URL("..", import.meta.url).pathname;

/** The launcher of the built program where there is one (`npm run build`), else of the sources. */
export const program = [join(root, "dist/bin/svc-authorizer.cjs"), join(root, "bin/svc-authorizer.cjs")].find(
  existsSync,
) as string;

/** Whether {@link program} is the built one. */
export const isBuilt = program.startsWith(join(root, "dist"));

/** Writes a file of the run and returns its path. */
export function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A data set with one user for each size. */
export function benchDataset(): unknown {
  const policies = SIZES.flatMap((size) =>
    benchPolicies(size).map((policy) => ({ ...policy, name: `u${size}-${policy.name}` })),
  );
  const users = SIZES.map((size) => ({
    username: `u${size}`,
    policies: policies.filter(({ name }) => name.startsWith(`u${size}-`)).map(({ name }) => name),
  }));
  return { format: 1, users, policies };
}

/** Settings in which a benchmark differs. */
export interface BenchSettings {
  /** Default in memory. */
  readonly database?: object;
  /** `authorizer.workers`; default 1. */
  readonly workers?: number;
  /** Further arguments of `run`. */
  readonly flags?: readonly string[];
  /** Further settings below `authorizer`. */
  readonly more?: object;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service with a data set, in memory unless the settings say otherwise. */
export function startAuthorizer(
  dataset: string | undefined,
  { database = { type: "mem" }, workers = 1, flags = [], more = {}, env = {} }: BenchSettings = {},
): Promise<StartedServer> {
  const config = write(
    `config-${randomBytes(4).toString("hex")}.yaml`,
    JSON.stringify({
      listen_address: "127.0.0.1:0",
      database,
      logging: { level: "WARN" },
      auth: { api: { token }, encrypt: { secret_key: randomBytes(32).toString("base64url") } },
      authorizer: {
        listen_address: "127.0.0.1:0",
        metrics_address: "127.0.0.1:0",
        workers,
        ...(dataset === undefined ? {} : { datasets: [dataset] }),
        ...more,
      },
    }),
  );
  return startServer([program, "run", "--config", config, ...flags], undefined, env);
}

/** URLs of the three listeners in a ready line. */
export function urlsOf({ line }: StartedServer): Record<"service" | "user" | "metrics", string> {
  const of = (name: string) => new RegExp(`${name}=(\\S+)`).exec(line)?.[1] as string;
  return { service: of("service"), user: of("user"), metrics: of("metrics") };
}

/** URL of the service listener in a ready line. */
export function serviceUrl(server: StartedServer): string {
  return /service=(\S+)/.exec(server.line)?.[1] as string;
}

function lines(make: (index: number) => unknown, count = BODIES): string {
  return Array.from({ length: count }, (_, index) => JSON.stringify(make(index))).join("\n");
}

/** As {@link benchResource}; every other one is refused. */
function halfRefused(size: number, index: number): string {
  return index % 2 === 0 ? benchResource(size, index) : benchResource(size, index).replace("repo-", "none-");
}

/** Files with request bodies for the endpoints, by name. */
export function bodiesFor(
  size: number,
): Record<"evaluation" | "check" | "evaluations" | "mixed" | "filter" | "mixedFilter", string> {
  const user = `u${size}`;
  const evaluation = (index: number) => ({
    subject: { type: "user", id: user },
    action: { name: "fs:ReadObject" },
    resource: { type: "arn", id: benchResource(size, index) },
  });
  return {
    evaluation: write(`evaluation-${size}`, lines(evaluation)),
    check: write(
      `check-${size}`,
      lines((index) => ({
        user,
        required: { action: "fs:ReadObject", resource: benchResource(size, index) },
      })),
    ),
    evaluations: write(
      `evaluations-${size}`,
      lines(
        (batch) => ({
          subject: { type: "user", id: user },
          action: { name: "fs:ReadObject" },
          evaluations: Array.from({ length: 1000 }, (_, index) => ({
            resource: { type: "arn", id: benchResource(size, batch * 1000 + index) },
          })),
        }),
        20,
      ),
    ),
    mixed: write(
      `mixed-${size}`,
      lines(
        (batch) => ({
          subject: { type: "user", id: user },
          action: { name: "fs:ReadObject" },
          evaluations: Array.from({ length: 1000 }, (_, index) => ({
            resource: { type: "arn", id: halfRefused(size, batch * 1000 + index) },
          })),
        }),
        20,
      ),
    ),
    mixedFilter: write(
      `mixed-filter-${size}`,
      lines(
        (batch) => ({
          user,
          action: "fs:ReadObject",
          resources: Array.from({ length: 20_000 }, (_, index) => halfRefused(size, batch * 20_000 + index)),
        }),
        3,
      ),
    ),
    filter: write(
      `filter-${size}`,
      lines(
        (batch) => ({
          user,
          action: "fs:ReadObject",
          resources: Array.from({ length: 20_000 }, (_, index) =>
            benchResource(size, batch * 20_000 + index),
          ),
        }),
        3,
      ),
    ),
  };
}
