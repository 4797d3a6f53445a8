/**
 * One of several worker processes (spec/journal §7): it serves both listeners, reads the store's folder, and commits
 * through its primary.
 */

import { setTimeout as delay } from "node:timers/promises";
import { readEnvironment } from "@svc-authorizer/commands/environment.ts";
import type { ConfigValues } from "../../config/table.ts";
import { watchShadow } from "../../decisions/shadow/watch-shadow.ts";
import type { Contact } from "../../journal/contact.ts";
import { type Answerer, Channel } from "../../workers/channel.ts";
import { primaryPort } from "../../workers/primary-port.ts";
import { openData, openLog } from "../data.ts";
import { listenAt, listenForProxies } from "../listeners/listen.ts";
import { watchCertificates } from "../listeners/watch-certificates.ts";
import { openParts, type ServiceParts } from "../parts.ts";
import { closeParts } from "../parts-end.ts";
import { readAhead } from "../read-ahead.ts";
import { reloadListeners } from "../reload.ts";
import { openServiceTraces } from "../traces.ts";
import { openForWorker } from "./worker-data.ts";
import { KIND, type WorkerAddresses, type WorkerRole, type WorkerStart } from "./worker-role.ts";

/** Serves as a worker until the primary says stop or is gone. */
export function runWorker(): void {
  // Signals of a terminal or of a service manager go to all processes; the primary says what they mean.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  const failures: ((key: string) => void)[] = [];
  const contacts: ((contact: Contact) => void)[] = [];
  const running: { parts?: ServiceParts; opened?: ServiceParts; reloaded?: ConfigValues } = {};
  const answerers = new Map<string, Answerer>([
    [
      KIND.start,
      async (start: WorkerStart) => {
        const { parts, addresses } = await startWorker(channel, start, {
          onFailure: (listener) => failures.push(listener),
          onContact: (listener) => contacts.push(listener),
          opened: async (parts) => {
            running.opened = parts;
            // The primary may have read again since it said what to start with: a token may be gone.
            if (running.reloaded !== undefined) await reloadWorker(parts, running.reloaded);
          },
        });
        running.parts = parts;
        return addresses;
      },
    ],
    [KIND.metrics, () => running.parts?.metrics.snapshot() ?? []],
    [KIND.committed, () => running.parts?.data.store.follow?.()],
    [
      KIND.contact,
      (contact: Contact) => {
        for (const listener of contacts) listener(contact);
      },
    ],
    [
      KIND.failure,
      (key: string) => {
        for (const listener of failures) listener(key);
      },
    ],
    [KIND.activity, () => running.parts?.activity.report()],
    [KIND.shadow, () => running.parts?.shadow?.shadow.report()],
    [
      KIND.reload,
      (values: ConfigValues) => {
        running.reloaded = values;
        return running.opened && reloadWorker(running.opened, values);
      },
    ],
    [KIND.stop, () => stopWorker(running.parts)],
  ]);
  const channel = new Channel(primaryPort(), answerers);
}

/** The news of the primary that a worker listens to. */
interface News {
  readonly onFailure: WorkerRole["sharing"]["onTold"];
  readonly onContact: (listener: (contact: Contact) => void) => void;
  /** To be called before anybody is answered. */
  readonly opened: (parts: ServiceParts) => Promise<void>;
}

async function startWorker(
  channel: Channel,
  { values: given, version, nextFreePort, setupToken, copy }: WorkerStart,
  { onFailure: onTold, onContact, opened: beforeAnswers }: News,
): Promise<{ readonly parts: ServiceParts; readonly addresses: WorkerAddresses }> {
  const values = given as ConfigValues;
  const logger = openLog(values, (output, batch) => channel.ask(KIND.lines, { output, batch }));
  const opened = openForWorker({ values, logger, channel, copy, onContact });
  const data = await openData(values, logger, {
    traces: await openServiceTraces(readEnvironment(), logger, version),
    open: async () => opened,
    upkeep: false,
  });
  const role: WorkerRole = {
    setupToken,
    sharing: { tell: (key) => channel.tell(KIND.failure, key), onTold },
    relayAudit: (_output, batch) => channel.ask(KIND.audit, batch),
    shadowReports: () => channel.ask(KIND.shadow),
    activity: () => channel.ask(KIND.activity),
  };
  const parts = await openParts(data, { version, env: () => undefined, nextFreePort, worker: role });
  await beforeAnswers(parts);
  const at = (item: "authorizer.listen_address" | "authorizer.user_listen_address") => ({
    item,
    address: values[item],
    nextFreePort,
  });
  const addresses = {
    service: await listenAt(parts.service, at("authorizer.listen_address")),
    user: await listenAt(parts.user, at("authorizer.user_listen_address")),
    ...(await listenForProxies(parts, values, nextFreePort)),
  };
  watchCertificates(parts, values);
  watchShadow(parts.shadow);
  parts.health.state = "ready";
  readAhead(parts);
  return { parts, addresses };
}

async function reloadWorker(parts: ServiceParts, values: ConfigValues): Promise<void> {
  reloadListeners(parts, values);
  await parts.shadow?.load();
}

async function stopWorker(parts: ServiceParts | undefined): Promise<never> {
  if (parts !== undefined) {
    parts.health.state = "stopping";
    await delay(parts.data.values["authorizer.shutdown_delay"]);
    await closeParts(parts);
  }
  process.exit(0);
}
