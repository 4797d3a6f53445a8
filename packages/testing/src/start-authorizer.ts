/**
 * The test kit (spec/decision-api §7): the real service in this process, on free loopback ports, with its store in
 * memory. Many can run side by side.
 */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { type DataParts, openData, openLog } from "../../../src/compose/data.ts";
import { startService } from "../../../src/compose/service.ts";
import { limitsOf } from "../../../src/config/limits.ts";
import { type ConfigObject, configFromObject } from "../../../src/config/load.ts";
import { loadDatasets } from "../../../src/datasets/load-datasets.ts";
import type { Directory } from "../../../src/directory/directory.ts";

/** Options of the service that a test starts. */
export interface StartOptions {
  /** A data set: a file or glob, several of them, or the document itself. None: an empty directory. */
  readonly dataset?: string | readonly string[] | DatasetDocument;
  /** Configuration items, nested as in a file or with dotted names. */
  readonly config?: ConfigObject;
}

/** A running authorizer. */
export interface TestAuthorizer {
  /** Base URL of the service listener. */
  readonly url: string;
  /** Base URL of the user listener. */
  readonly userUrl: string;
  /** Base URL of the metrics listener. */
  readonly metricsUrl: string;
  /** `host:port` for Envoy, where `authorizer.ext_authz.listen_address` is set. */
  readonly extAuthz?: string;
  /** URL of the streaming listener, where `authorizer.exchange.streaming_address` is set. */
  readonly streamingUrl?: string;
  /** Bearer token with every scope. */
  readonly token: string;
  readonly client: AuthorizerClient;
  /** Users, groups and policies, to be read and changed by the test. */
  readonly directory: Directory;
  /** Puts the directory back to the state after the start. */
  reset(): Promise<void>;
  /** Ends the service; calling it twice is harmless. */
  close(): Promise<void>;
}

const SECRET_BYTES = 32;
const VERSION = (
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** The configuration of a test service, before `config`: nothing of it touches disk or other processes. */
function testDefaults(): ConfigObject {
  return {
    "database.type": "mem",
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": randomBytes(SECRET_BYTES).toString("base64url"),
    "auth.api.token": randomBytes(SECRET_BYTES).toString("base64url"),
    "logging.level": "NONE",
    "ui.enabled": false,
  };
}

/**
 * Starts an authorizer; close it when the test ends.
 * @throws AuthorizerError or ConfigError with every problem of the data set or configuration
 */
export async function startAuthorizer({ dataset, config = {} }: StartOptions = {}): Promise<TestAuthorizer> {
  const { values } = configFromObject(config, testDefaults());
  const logger = openLog(values);
  const data = await openData(values, logger);
  const service = await startService(data, { version: VERSION, env: () => undefined });
  try {
    if (dataset !== undefined) await load(data, dataset);
    const { memory } = data;
    const image = memory?.capture();
    const { addresses } = service;
    const token = values["auth.api.token"] ?? "";
    return {
      url: addresses.service,
      userUrl: addresses.user,
      metricsUrl: addresses.metrics,
      ...(addresses.extAuthz !== undefined && { extAuthz: addresses.extAuthz }),
      ...(addresses.streaming !== undefined && { streamingUrl: addresses.streaming }),
      token,
      client: new AuthorizerClient({ url: addresses.service, token }),
      directory: data.directory,
      reset: async () => {
        if (memory === undefined || image === undefined) {
          throw new AuthorizerError("invalid_request", "reset() needs database.type mem");
        }
        memory.restore(image);
        data.directory.storeReplaced();
      },
      close: () => service.stop(),
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function load(data: DataParts, dataset: NonNullable<StartOptions["dataset"]>): Promise<void> {
  const { directory, catalog, values } = data;
  const source =
    typeof dataset === "string"
      ? { files: [dataset] }
      : isList(dataset)
        ? { files: dataset }
        : { documents: [dataset] };
  await loadDatasets({
    directory,
    catalog,
    files: [],
    ...source,
    mode: "load",
    env: () => undefined,
    guards: values["authorizer.guards"],
    limits: limitsOf(values),
  });
}

function isList(dataset: readonly string[] | DatasetDocument): dataset is readonly string[] {
  return Array.isArray(dataset);
}
