/** Reads a call of AssumeRoleWithWebIdentity: the parameters of AWS's query API. */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { Query } from "../../http/request/query.ts";
import { StsRefused } from "./sts-error.ts";

/** A call, read. */
export interface AssumeRole {
  /** The user in RoleArn. */
  readonly user: string;
  /** The token of the identity provider. */
  readonly token: string;
  readonly seconds: number;
  readonly roleArn: string;
  /** The name that the caller gave the session: a label, which nothing rests on. */
  readonly sessionName: string;
}

const ACTION = "AssumeRoleWithWebIdentity";
const VERSION = "2011-06-15";
const DEFAULT_SECONDS = 3_600;
const LEAST_SECONDS = 900;
const MOST_SECONDS = 43_200;
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;
/** Parameters that narrow what the key may do: to ignore them would give more than was asked for. */
const NARROWING = /^(?:Policy$|PolicyArns(?:\.|$)|ProviderId$)/;
const KNOWN: ReadonlySet<string> = new Set([
  "Action",
  "Version",
  "RoleArn",
  "RoleSessionName",
  "WebIdentityToken",
  "DurationSeconds",
]);

/**
 * Reads the form of a call.
 * @param partition that of the ARNs (`authorizer.partition`)
 * @throws StsRefused
 */
export function readAssumeRole(form: Query, partition: string): AssumeRole {
  const text = (name: string): string => form.get(name) ?? "";
  if (text("Action") !== ACTION) throw new StsRefused("InvalidAction", `the only action here is ${ACTION}`);
  const version = text("Version");
  if (version !== "" && version !== VERSION)
    throw new StsRefused("InvalidAction", `the only version here is ${VERSION}`);
  for (const name of form.names()) refuseParameter(name);
  for (const name of ["RoleArn", "RoleSessionName", "WebIdentityToken"])
    if (text(name) === "") throw new StsRefused("MissingParameter", `${name} is required`);
  const sessionName = text("RoleSessionName");
  if (!SESSION_NAME.test(sessionName))
    throw new StsRefused("ValidationError", "RoleSessionName: expected 2 to 64 letters, digits and _+=,.@-");
  const roleArn = text("RoleArn");
  const prefix = `arn:${partition}:auth:::user/`;
  const user = roleArn.startsWith(prefix) ? roleArn.slice(prefix.length) : "";
  if (user === "" || !isPossibleName(user))
    throw new StsRefused("ValidationError", `RoleArn: expected ${prefix} and the name of a user`);
  return {
    user,
    token: text("WebIdentityToken"),
    seconds: durationOf(text("DurationSeconds")),
    roleArn,
    sessionName,
  };
}

function refuseParameter(name: string): void {
  if (KNOWN.has(name)) return;
  const shown = JSON.stringify(name.slice(0, 60));
  const why = NARROWING.test(name)
    ? "keys with less than the user's rights are not issued"
    : "it is not known here";
  throw new StsRefused("ValidationError", `the parameter ${shown} is refused: ${why}`);
}

function durationOf(text: string): number {
  if (text === "") return DEFAULT_SECONDS;
  const seconds = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return seconds;
  const message = `DurationSeconds: expected a whole number from ${LEAST_SECONDS} to ${MOST_SECONDS}`;
  throw new StsRefused("ValidationError", message);
}
