/**
 * `npm run authzen-scenario`: the AuthZEN Authorization API 1.0 certification scenario, against the service with
 * `fixtures/datasets/authzen.yaml`, over HTTPS; with `--url` and `--token` against any other policy decision point.
 * Prints a table by level and every case that failed; exit code 1 when one did.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import Table from "cli-table3";
import { selfSigned } from "../test/http/certificate.ts";
import type { Target } from "./call.ts";
import { LEVELS, readCases } from "./cases.ts";
import { type Outcome, runCases } from "./run-cases.ts";

const USAGE = `Usage: npm run authzen-scenario [-- --url URL --token TOKEN [--ca FILE]] [-- --json]

Without --url the service is started with fixtures/datasets/authzen.yaml.
`;

/** A started target with what ends it. */
type Started = Target & { readonly close: () => Promise<void> };

/** Starts the service with TLS on loopback. */
export async function startTarget(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "authzen-scenario-"));
  const { cert, key } = selfSigned("127.0.0.1");
  const [cert_file, key_file] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert_file, cert);
  writeFileSync(key_file, key, { mode: 0o600 });
  const authorizer = await startAuthorizer({
    dataset: new URL("../fixtures/datasets/authzen.yaml", import.meta.url).pathname,
    config: { "authorizer.tls": { enabled: true, cert_file, key_file } },
  });
  const close = async (): Promise<void> => {
    await authorizer.close();
    rmSync(folder, { recursive: true });
  };
  return { url: authorizer.url, token: authorizer.token, ca: cert, close };
}

/** The table of levels. */
export function levelTable(outcomes: readonly Outcome[]): string {
  const table = new Table({ head: ["Level", "Passed", "Failed"], style: { head: [], border: [] } });
  for (const level of LEVELS) {
    const own = outcomes.filter((outcome) => outcome.case.level === level);
    const failed = own.filter(({ faults }) => faults.length > 0).length;
    table.push([level, own.length - failed, failed]);
  }
  return table.toString();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: "string" },
      token: { type: "string" },
      ca: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const { url, token = "", ca } = values;
  const given = (at: string): Started => ({
    url: at.replace(/\/+$/, ""),
    token,
    ...(ca === undefined ? {} : { ca: readFileSync(ca, "utf8") }),
    close: async () => {},
  });
  const target = url === undefined ? await startTarget() : given(url);
  try {
    const outcomes = await runCases(target, readCases());
    const failed = outcomes.filter(({ faults }) => faults.length > 0);
    if (values.json === true) process.stdout.write(`${JSON.stringify(outcomes, undefined, 2)}\n`);
    else {
      process.stdout.write(`${levelTable(outcomes)}\n`);
      for (const { case: one, faults } of failed) {
        process.stdout.write(`${one.level} ${one.id}, ${one.title}: ${faults.join("; ")}\n`);
      }
    }
    process.exitCode = failed.length > 0 ? 1 : 0;
  } finally {
    await target.close();
  }
}

if (import.meta.main) await main();
