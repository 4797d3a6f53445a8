/**
 * Requests made to hold up others: the cases of the guard (`test/end-to-end/hostile.test.ts`), callers who ask much at once,
 * and thousands of connections. For each the longest time for which the event loop did one thing, in CPU time; the longest
 * wait of a client who comes new all the while; by how much the memory of the process grew; and what the kernel held. Then
 * starts that went wrong, of which only the time counts besides what became of them.
 */
import { EnvoyClient } from "../test/api/ext-authz/envoy-client.ts";
import type { Flood } from "../test/end-to-end/connection-flood.ts";
import { FLOODS, flood } from "../test/end-to-end/connection-flood.ts";
import { HOSTILE_CASES } from "../test/end-to-end/hostile-cases.ts";
import { STEADY_QUESTION } from "../test/end-to-end/hostile-directory.ts";
import { type HostileService, startHostile } from "../test/end-to-end/hostile-service.ts";
import { IdleClients } from "../test/end-to-end/idle-clients.ts";
import { cleanUp } from "../test/end-to-end/program.ts";
import { measureStarts, type StartRow } from "./hostile-starts.ts";
import { queuedBytes } from "./queued-bytes.ts";
import { type Witnessed, witness } from "./witness.ts";

/** One case. */
interface HostileRow {
  readonly name: string;
  /** The answer, or what became of the callers. */
  readonly result: string;
  readonly holdMs: number;
  readonly waitMs: number;
  /** The wait without the time that other processes took from the service: what the bound is held against. */
  readonly ownWaitMs: number;
  /** Growth of the memory that is no file, in MiB, and what it may be. */
  readonly grewMiB: number;
  readonly limitMiB: number;
  /** Most that the kernel held for connections of the service, in MiB. */
  readonly tcpMiB: number;
  /** True if every bound holds. */
  readonly held: boolean;
}

const STATEMENTS = 50_000;
const CONNECTIONS = 10_000;
const IDLE = 1_000;
const FEW_FILES = 1_024;

const MOST_HOLD_MS = 100;
const MOST_WAIT_MS = 1_000;
/** `limits.bodies_bytes` and `answers_bytes` of a listener, and what garbage may wait to be collected. */
const CALL_MIB = 64 + 128 + 100;
/** `answers_bytes` of a listener besides 24 KiB for each connection. */
const FLOOD_MIB = 128 + 100 + (CONNECTIONS * 24) / 1_024;

const LOOK_MS = 50;
const LOOK_AT_KERNEL = 10;

type Log = (text: string) => void;

interface Measured {
  readonly name: string;
  readonly limitMiB: number;
  run(): Promise<string>;
}

/** Ports of the listeners. */
function portsOf({ program: { service, user, extAuthz } }: HostileService): ReadonlySet<number> {
  return new Set(
    [service, user, extAuthz].flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port)])),
  );
}

async function measured(
  service: HostileService,
  { name, limitMiB, run }: Measured,
  log: Log,
): Promise<HostileRow> {
  const ports = portsOf(service);
  await service.longestHold();
  const before = service.anonymous();
  let [peak, queued, looks] = [before, 0, 0];
  const looking = setInterval(() => {
    peak = Math.max(peak, service.anonymous());
    if (looks++ % LOOK_AT_KERNEL === 0) queued = Math.max(queued, queuedBytes(ports));
  }, LOOK_MS);
  const stop = await witness({
    url: `${service.program.service}/access/v1/check`,
    token: service.token,
    body: String(STEADY_QUESTION),
    pid: service.program.child.pid as number,
  });
  let result: string;
  let seen: Witnessed;
  try {
    result = await run();
  } finally {
    seen = await stop();
    clearInterval(looking);
  }
  const holdMs = await service.longestHold();
  const grewMiB = (peak - before) / 2 ** 20;
  const held =
    holdMs <= MOST_HOLD_MS && seen.failed === 0 && seen.longestOwnMs <= MOST_WAIT_MS && grewMiB <= limitMiB;
  log(
    `${name}: ${result}, held ${holdMs.toFixed(0)} ms, waited ${seen.longestMs.toFixed(0)} ms, ${seen.longestOwnMs.toFixed(0)} for the service (${seen.failed} of ${seen.asked} failed), ` +
      `${grewMiB.toFixed(0)} MiB more, ${(queued / 2 ** 20).toFixed(0)} MiB in the kernel${held ? "" : ", NOT HELD"}`,
  );
  const { longestMs: waitMs, longestOwnMs: ownWaitMs } = seen;
  return { name, result, holdMs, waitMs, ownWaitMs, grewMiB, limitMiB, tcpMiB: queued / 2 ** 20, held };
}

/** `trusted_answers_bytes` of a listener. */
const TRUSTED_MIB = 256;

/** The peers of floods are strangers; Envoy's listener takes only trusted ones, and its floods are of these. */
const WITH_ENVOY = { "authorizer.ext_authz.listen_address": "127.0.0.1:0" };
const STRANGERS = { ...WITH_ENVOY, "authorizer.trusted_proxies": [] };

/** Floods that trusted peers make, too. */
const isOfTrusted = ({ listener, name }: Flood): boolean =>
  listener === "extAuthz" || name.includes("nobody reads");

/** Times that Envoy connects anew for one call. */
const CONNECTS = 20;

/** A call of Envoy on a new connection. One that is ended is made anew, as Envoy does. */
async function askEnvoy({ program: { extAuthz = "" } }: HostileService): Promise<void> {
  for (let connects = 1; ; connects++) {
    const envoy = new EnvoyClient(new URL(extAuthz).host);
    try {
      await envoy.health("");
      return;
    } catch (error) {
      if (connects === CONNECTS) throw error;
    } finally {
      envoy.close();
    }
  }
}

function flooding(service: HostileService, one: Flood, files: string, isTrusted: boolean): Measured {
  return {
    name: `${CONNECTIONS.toLocaleString("en")} connections${isTrusted ? " of a trusted peer" : ""}, ${files}: ${one.name}`,
    limitMiB: FLOOD_MIB + (isTrusted ? TRUSTED_MIB : 0),
    run: async () => {
      const ask = () => (one.listener === "extAuthz" ? askEnvoy(service) : service.ask(false));
      const { tried, longestMs } = await flood(service, one, CONNECTIONS, ask);
      return `${tried} tried, ${longestMs.toFixed(0)} ms`;
    },
  };
}

/** A thousand clients of one address, who have asked and are idle while strangers come. */
function idleClients(service: HostileService): Measured {
  return {
    name: `${IDLE.toLocaleString("en")} idle clients of one address beside ${CONNECTIONS.toLocaleString("en")} strangers`,
    limitMiB: FLOOD_MIB,
    run: async () => {
      const clients = new IdleClients(service, IDLE);
      try {
        await clients.open();
        await flood(service, FLOODS[0] as Flood, CONNECTIONS, () => service.ask(false));
        const answered = (await clients.askAll()).get("200") ?? 0;
        if (answered < IDLE) throw new Error(`only ${answered} of ${IDLE} idle clients were answered`);
        return `${answered} answered after it`;
      } finally {
        clients.end();
      }
    },
  };
}

/** A start has nobody who waits. */
function rowOf({ name, result, milliseconds: waitMs, held }: StartRow, log: Log): HostileRow {
  log(`${name}: ${result}, after ${waitMs.toFixed(0)} ms${held ? "" : ", NOT HELD"}`);
  return { name, result, waitMs, held, holdMs: 0, ownWaitMs: 0, grewMiB: 0, limitMiB: 0, tcpMiB: 0 };
}

/** Sends every case once. */
export async function measureHostile(log: Log): Promise<HostileRow[]> {
  const rows: HostileRow[] = [];
  const wanted = new RegExp(process.env["HOSTILE_CASES"] ?? "");
  const measure = async (service: HostileService, one: Measured): Promise<void> => {
    if (wanted.test(one.name)) rows.push(await measured(service, one, log));
  };
  try {
    const calls = await startHostile({ statements: STATEMENTS });
    for (const { name, run } of HOSTILE_CASES) {
      await measure(calls, {
        name,
        limitMiB: CALL_MIB,
        run: async () => {
          const result = await run(calls);
          return typeof result === "number" ? String(result) : "done";
        },
      });
    }
    cleanUp();
    for (const files of [undefined, FEW_FILES]) {
      const known = files === undefined ? "the files of a process" : `${files} files`;
      for (const items of [STRANGERS, WITH_ENVOY]) {
        const service = await startHostile({ items, ...(files !== undefined && { files }) });
        for (const one of FLOODS) {
          const isTrusted = items === WITH_ENVOY;
          if (isTrusted ? isOfTrusted(one) : one.listener !== "extAuthz")
            await measure(service, flooding(service, one, known, isTrusted));
        }
        cleanUp();
      }
      if (files !== undefined) continue;
      const strict = await startHostile({ items: STRANGERS });
      await measure(strict, idleClients(strict));
      cleanUp();
    }
    for (const one of await measureStarts((name) => wanted.test(name))) rows.push(rowOf(one, log));
  } finally {
    cleanUp();
  }
  return rows;
}

if (process.argv[1] === import.meta.filename) await measureHostile(console.log);
