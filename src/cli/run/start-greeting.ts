/** Printed by `run` once the service answers: lines for programs, or a short block for people at a terminal. */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { inQuotes, shellWord } from "@svc-authorizer/commands/shell-word.ts";
import type { SetupOffer } from "../../bootstrap/setup.ts";
import type { ServiceAddresses } from "../../compose/service.ts";
import { shownPath } from "./quickstart.ts";

/** A service that answers, as far as the greeting shows it. */
export interface StartedService {
  readonly version: string;
  /** URLs of the three listeners, and `host:port` of Envoy's where there is one. */
  readonly addresses: ServiceAddresses;
  /** The one-time token, until the first administrator exists (spec/security §6.2). */
  readonly setup: SetupOffer | undefined;
  /** Present for a quick start. */
  readonly quickstart?: {
    readonly tokenFile: string;
    /** The value of `--data`. */
    readonly data: string | undefined;
    /** True if the data sets are not those of the quick start, which the first decision is about. */
    readonly hasOwnDatasets: boolean;
  };
  readonly env: Environment;
  /** Paths are shown relative to this folder. */
  readonly cwd: string;
}

/** The lines for programs: `ready` first, then the token file, a first decision and where the setup token is. */
export function readyLines(started: StartedService): string {
  const { addresses, setup, quickstart } = started;
  const { service, user, metrics, extAuthz } = addresses;
  const envoy = extAuthz === undefined ? "" : ` ext_authz=${extAuthz}`;
  const lines = [`ready service=${service} user=${user} metrics=${metrics}${envoy}`];
  if (quickstart !== undefined) {
    lines.push(`token ${shownPath(quickstart.tokenFile, started.cwd)}`);
    lines.push("First decision:", firstDecision(started, quickstart.tokenFile));
  }
  if (setup !== undefined) {
    // What a pipe or a log gets holds no secret.
    lines.push(setupFileLine(setup, started));
    const command = setupCommand(started, setup);
    if (quickstart === undefined) lines.push(`No administrator yet: ${command}`);
    else lines.push("No administrator yet. This creates one and configures svcctl with its key:", command);
  }
  return `${lines.join("\n")}\n`;
}

/** The block for people: name and version, the three addresses, what to try, what to do next, where to read. */
export function greetingBlock(started: StartedService): string {
  const { version, addresses, setup, quickstart, cwd } = started;
  const lines = [
    `svc-authorizer ${version} is ready. Press Ctrl-C to stop it.`,
    "",
    `  Decisions   ${addresses.service}   for applications and the data server, with a bearer token`,
    `  Management  ${addresses.user}   for browsers (the console) and svcctl: users, groups, policies, access keys`,
    `  Metrics     ${addresses.metrics}   for Prometheus, at /metrics`,
  ];
  if (addresses.extAuthz !== undefined) {
    lines.push(`  Envoy       ${addresses.extAuthz}   for external authorization over gRPC`);
  }
  if (quickstart !== undefined) {
    lines.push(`  Token       ${shownPath(quickstart.tokenFile, cwd)}`);
    const hint = quickstart.hasOwnDatasets
      ? "Ask like this, with names of your data set:"
      : "Try: may alice read this object?";
    lines.push("", hint, firstDecision(started, quickstart.tokenFile));
  }
  if (setup !== undefined) {
    const after = quickstart === undefined ? "" : " and configure svcctl";
    lines.push("", `Next: create the first administrator${after}`, setupCommand(started, setup));
    lines.push(setupTokenLine(setup, started));
  }
  const page = quickstart === undefined ? "docs/operations.md" : "docs/first-steps.md";
  lines.push("", `Docs: ${page}`);
  return `${lines.join("\n")}\n`;
}

/** A command line that asks for a decision and works as it is from `cwd`. */
function firstDecision({ addresses, cwd }: StartedService, tokenFile: string): string {
  const body = {
    subject: { type: "user", id: "alice" },
    action: { name: "fs:ReadObject" },
    resource: { type: "object", id: "example-repo/data.csv" },
  };
  return (
    `curl -sS -H "Authorization: Bearer $(cat ${inQuotes(shownPath(tokenFile, cwd))})" ` +
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${addresses.service}/access/v1/evaluation`
  );
}

function setupFileLine({ file }: SetupOffer, { quickstart, cwd }: StartedService): string {
  if (file === undefined) return "setup token: printed by svc-authorizer set-up token --config FILE";
  return `setup token in ${quickstart === undefined ? file : shownPath(file, cwd)}`;
}

function setupTokenLine({ token, file }: SetupOffer, { quickstart, cwd }: StartedService): string {
  if (file === undefined) return `setup token ${token}`;
  return `setup token ${token} (kept in ${quickstart === undefined ? file : shownPath(file, cwd)})`;
}

function setupCommand({ addresses, quickstart, env }: StartedService, { file }: SetupOffer): string {
  if (quickstart === undefined) {
    const using = file === undefined ? "" : ` --token-file ${shellWord(file)}`;
    return `svc-authorizer setup --user-name NAME --server ${addresses.user}${using}`;
  }
  const folder = quickstart.data === undefined ? "" : ` --data ${inQuotes(quickstart.data)}`;
  return `${programName(env)} setup --quickstart${folder} --user-name admin --write-config`;
}

/** Returns the command that started the program: npm names the script that it runs. */
function programName(env: Environment): string {
  const isScript = /^(start|svc-authorizer)$/.test(env["npm_lifecycle_event"] ?? "");
  return isScript ? "npm run -s svc-authorizer --" : "svc-authorizer";
}
