/** The running service: decisions over data, listeners over decisions, and the order in which all start and stop. */

import { availableParallelism } from "node:os";
import type { SetupOffer } from "../bootstrap/setup.ts";
import type { ConfigValues } from "../config/table.ts";
import { workerCount } from "../config/values/worker-count.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { watchShadow } from "../decisions/shadow/watch-shadow.ts";
import type { DataParts } from "./data.ts";
import { listenAt, listenForProxies, type ProxyAddresses } from "./listeners/listen.ts";
import { watchCertificates } from "./listeners/watch-certificates.ts";
import { startMirroring } from "./mirroring.ts";
import { openParts, type ServiceOptions, type ServiceParts } from "./parts.ts";
import { closeParts } from "./parts-end.ts";
import { readAhead } from "./read-ahead.ts";
import { reloadParts, valuesInForce } from "./reload.ts";

/** URLs with the real addresses. */
export interface ServiceAddresses extends ProxyAddresses {
  readonly service: string;
  readonly user: string;
  readonly metrics: string;
}

/** A service that answers. */
export interface RunningService {
  readonly addresses: ServiceAddresses;
  readonly data: DataParts;
  readonly decisions: Decisions;
  /** The offer to set up the first administrator; undefined if the set-up is done. */
  readonly setup: SetupOffer | undefined;
  /** Reads data sets, tokens and certificates again; what is faulty stays as it was and is logged. */
  reload(values: ConfigValues): Promise<void>;
  /** Stops: not ready at once, `authorizer.shutdown_delay`, then what is in flight is finished. */
  stop(): Promise<void>;
}

/** Starts the service on opened data, which {@link RunningService.stop} closes; so does a failed start. */
export async function startService(data: DataParts, options: ServiceOptions): Promise<RunningService> {
  const parts = await openOrClose(data, options);
  const count = workerCount(data.values["authorizer.workers"], availableParallelism()) ?? 1;
  if (count > 1) return startPrimary(parts, options, count);
  try {
    const addresses = await listenAll(parts, options);
    parts.invitations.start();
    await startMirroring(parts.mirroring, data);
    const unwatch = [watchCertificates(parts, data.values), watchShadow(parts.shadow)];
    parts.health.state = "ready";
    readAhead(parts);
    data.logger.info("listening", { ...addresses, version: options.version });
    let stopped: Promise<void> | undefined;
    return {
      addresses,
      data,
      decisions: parts.decisions,
      setup: parts.setup.offer,
      reload: (read) => reloadParts(parts, valuesInForce(parts, read), options),
      stop: () => {
        for (const end of unwatch) end();
        stopped ??= stop(parts);
        return stopped;
      },
    };
  } catch (error) {
    await closeParts(parts);
    throw error;
  }
}

/** Starts workers that answer; this process writes for them. */
async function startPrimary(
  parts: ServiceParts,
  options: ServiceOptions,
  count: number,
): Promise<RunningService> {
  const { data } = parts;
  const { startFleet } = await import("./workers/start-fleet.ts");
  const fleet = await startFleet(parts, options, count).catch(async (error: unknown) => {
    await closeParts(parts);
    throw error;
  });
  const { addresses } = fleet;
  parts.invitations.start();
  await startMirroring(parts.mirroring, data);
  parts.health.state = "ready";
  data.logger.info("listening", { ...addresses, version: options.version, workers: count });
  let stopped: Promise<void> | undefined;
  return {
    addresses,
    data,
    decisions: parts.decisions,
    setup: parts.setup.offer,
    reload: async (read) => {
      const values = valuesInForce(parts, read);
      await reloadParts(parts, values, options);
      fleet.reload(values);
    },
    stop: () => {
      stopped ??= (async () => {
        parts.health.state = "stopping";
        await fleet.stop();
        await closeParts(parts);
      })();
      return stopped;
    },
  };
}

async function openOrClose(data: DataParts, options: ServiceOptions): Promise<ServiceParts> {
  try {
    return await openParts(data, options);
  } catch (error) {
    await data.close();
    throw error;
  }
}

async function listenAll(parts: ServiceParts, options: ServiceOptions): Promise<ServiceAddresses> {
  const { values } = parts.data;
  const nextFreePort = options.nextFreePort ?? false;
  const at = (
    item: "authorizer.listen_address" | "authorizer.user_listen_address" | "authorizer.metrics_address",
  ) => ({
    item,
    address: values[item],
    nextFreePort,
  });
  return {
    service: await listenAt(parts.service, at("authorizer.listen_address")),
    user: await listenAt(parts.user, at("authorizer.user_listen_address")),
    metrics: await listenAt(parts.scrape, at("authorizer.metrics_address")),
    ...(await listenForProxies(parts, values, nextFreePort)),
  };
}

async function stop(parts: ServiceParts): Promise<void> {
  const { values, logger } = parts.data;
  parts.health.state = "stopping";
  logger.info("stopping", { delay_ms: values["authorizer.shutdown_delay"] });
  await new Promise((resolve) => setTimeout(resolve, values["authorizer.shutdown_delay"]));
  await closeParts(parts);
}
