/** The way to the table of the engine on DynamoDB (spec/journal §8): the client's settings, and the table itself. */

import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type DynamoDBClientConfig,
  type TableDescription,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { LONGEST_TIMER_MS } from "../../schedule/longest-timer.ts";

/** Connection settings (`database.dynamodb.*`). */
export interface DynamodbOptions {
  /** The table is `<tableName>-authorizer`: a data server with the same configuration has its own. */
  readonly tableName: string;
  /** Most items of a page of a query. */
  readonly scanLimit: number;
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** 0: as many as the client makes by itself. */
  readonly maxAttempts: number;
  /** 0: no limit. */
  readonly maxConnections: number;
  /** Most milliseconds that a request may take. */
  readonly requestTimeoutMs: number;
  /** Milliseconds between two looks at the state of the table; 0: none. */
  readonly healthCheckMs: number;
  readonly warn: (message: string) => void;
}

const CONNECT_TIMEOUT_MS = 3_000;
const TABLE_TIMEOUT_S = 120;
/** Settings of the client. */
export function clientConfig(options: DynamodbOptions): DynamoDBClientConfig {
  const { endpoint, region, profile, credentials, maxAttempts, maxConnections, requestTimeoutMs } = options;
  const agent = { keepAlive: true, ...(maxConnections > 0 && { maxSockets: maxConnections }) };
  return {
    ...(maxAttempts > 0 && { maxAttempts }),
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      // Without this the client only warns of a request that hangs.
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(credentials !== undefined && { credentials }),
  };
}

/**
 * Makes the table where it is missing.
 * @throws AuthorizerError "invalid_request" for a table that is no place for a log; errors of the client as they are
 */
export async function prepareTable(
  client: DynamoDBClient,
  table: string,
  warn: (message: string) => void,
): Promise<void> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    assertOneWriter(table, Table);
    return;
  } catch (error) {
    const { name } = error as Error;
    if (name === "AccessDeniedException") {
      warn(
        `the right dynamodb:DescribeTable is missing for ${table}: whether it is a global table is not known`,
      );
      return;
    }
    if (name !== "ResourceNotFoundException") throw error;
  }
  try {
    await client.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "sk", KeyType: "RANGE" },
        ],
      }),
    );
  } catch (error) {
    // Another node makes it.
    if ((error as Error).name !== "ResourceInUseException") throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: TABLE_TIMEOUT_S, minDelay: 1 }, { TableName: table });
}

/** Refuses a table that is written in several regions, where an item that one has created may be absent in another. */
function assertOneWriter(table: string, description: TableDescription | undefined): void {
  const isGlobal = (description?.Replicas?.length ?? 0) > 0;
  if (!isGlobal || description?.MultiRegionConsistency === "STRONG") return;
  const message = `The DynamoDB table ${table} is a global table with eventual consistency, in which two regions could both create the same entry: use a table of one region.`;
  throw new AuthorizerError("invalid_request", message);
}

/** Warns while the table cannot be used: that is not heard of otherwise by a node that only answers. */
export function watchTable(
  client: DynamoDBClient,
  table: string,
  { healthCheckMs, warn }: DynamodbOptions,
): NodeJS.Timeout | undefined {
  if (healthCheckMs <= 0) return undefined;
  const look = async (): Promise<void> => {
    try {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
      const status = Table?.TableStatus;
      if (status !== "ACTIVE" && status !== "UPDATING") warn(`the DynamoDB table ${table} is ${status}`);
    } catch (error) {
      warn(`the DynamoDB table ${table} cannot be used: ${dynamodbReason(error)}`);
    }
  };
  return setInterval(() => void look(), Math.min(healthCheckMs, LONGEST_TIMER_MS)).unref();
}

const KEY_REFUSED =
  "the access key is not accepted; check database.dynamodb.cloud_access_key_id and cloud_secret_access_key";
const CLOCK_OFF = "the clock of this machine is too far off for signatures; synchronise it (NTP)";

/** Returns the cause and the remedy; it never contains a key. */
export function dynamodbReason(error: unknown): string {
  const { name = "", message = "", code = "" } = error as { name?: string; message?: string; code?: string };
  switch (name) {
    case "AccessDeniedException":
      return "the rights GetItem, PutItem, UpdateItem, DeleteItem, Query, DescribeTable and CreateTable are needed on it";
    case "InvalidSignatureException":
      if (/expired|not yet current/i.test(message)) return CLOCK_OFF;
      return KEY_REFUSED;
    case "RequestTimeTooSkewed":
      return CLOCK_OFF;
    case "UnrecognizedClientException":
      return KEY_REFUSED;
    case "ResourceNotFoundException":
      return "it is gone: put back a backup. A node that starts makes an empty one, and the others keep their copies";
    case "CredentialsProviderError":
      return "no credentials were found; set database.dynamodb.cloud_profile or give the process a role";
    default:
      if (message === "Region is missing") {
        return "no region was found; set database.dynamodb.cloud_region";
      }
      return code === "ECONNREFUSED" || code === "ENOTFOUND"
        ? `nothing answers at database.dynamodb.endpoint (${code})`
        : `${name} ${message}`.trim();
  }
}
