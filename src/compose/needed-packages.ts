/** Packages that only some configurations need, and that are installed beside the service where one asks for them. */

import { assertInstalled, missingPackages } from "@svc-authorizer/commands/optional-packages.ts";
import type { ConfigValues } from "../config/table.ts";

/** Items that ask for packages. */
type AskingItem =
  | "database.type"
  | "authorizer.ext_authz.listen_address"
  | "authorizer.aws_iam.enabled"
  | "authorizer.ldap.url"
  | "email.smtp_host";

/** An item whose value cannot work. */
interface PackageFault {
  readonly item: AskingItem;
  readonly message: string;
}

const TRACING = [
  "@opentelemetry/api",
  "@opentelemetry/core",
  "@opentelemetry/exporter-trace-otlp-proto",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace",
];

/** The packages that an item asks for with its value. */
const ASKED: Readonly<Record<AskingItem, (values: ConfigValues) => readonly string[]>> = {
  "database.type": (values) => {
    const type = values["database.type"];
    if (type === "dynamodb") return ["@aws-sdk/client-dynamodb"];
    if (type !== "cosmosdb") return [];
    // Without a key of the account it takes the login of the environment.
    return values["database.cosmosdb.key"] ? ["@azure/cosmos"] : ["@azure/cosmos", "@azure/identity"];
  },
  "authorizer.ext_authz.listen_address": (values) =>
    values["authorizer.ext_authz.listen_address"] === undefined
      ? []
      : ["@grpc/grpc-js", "@grpc/proto-loader"],
  "authorizer.aws_iam.enabled": (values) => (values["authorizer.aws_iam.enabled"] ? ["fast-xml-parser"] : []),
  "authorizer.ldap.url": (values) => (values["authorizer.ldap.url"] ? ["ldapts"] : []),
  "email.smtp_host": (values) => (values["email.smtp_host"] ? ["nodemailer"] : []),
};

/** The items that ask for packages which are not installed, each with the command that installs them. */
export function packageFaults(values: ConfigValues): readonly PackageFault[] {
  return (Object.keys(ASKED) as AskingItem[]).flatMap((item) => {
    const message = missingPackages(ASKED[item](values));
    return message === undefined ? [] : [{ item, message }];
  });
}

/**
 * Refuses an item that asks for packages which are not installed.
 * @throws AuthorizerError "invalid_request"
 */
export function assertPackages(values: ConfigValues, item: AskingItem): void {
  assertInstalled(item, ASKED[item](values));
}

/**
 * Refuses traces where the packages of OpenTelemetry are not installed.
 * @throws AuthorizerError "invalid_request"
 */
export function assertTracingPackages(): void {
  assertInstalled("A trace that variables OTEL_* ask for", TRACING);
}
