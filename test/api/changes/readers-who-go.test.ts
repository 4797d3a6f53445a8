/** Readers who go while the log is looked up give their places back (spec/journal §6.4, spec/journal §6.5). */

import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ChangeLog } from "../../../src/api/changes/ports.ts";
import { REPLICA_SETTINGS } from "../../../src/api/changes/replica-stream.ts";
import { WATCH_LIMITS } from "../../../src/api/changes/watchers.ts";
import { changeLog } from "../../../src/compose/store/change-log.ts";
import { ReplicaRecords } from "../../../src/directory/read/replica-records.ts";
import type { Store } from "../../../src/store/port.ts";
import { startService, type TestService } from "../../http/service-kit.ts";
import { BEARER, positionAt, TOKENS } from "./kit.ts";

const PATHS = [
  { path: "/api/v1/watch", token: TOKENS.read },
  { path: "/api/v1/replica", token: TOKENS.replicate },
];

/** The log of a store whose reads take their time while `slow` says so. */
function slowLog(store: Store, reads: { slow: number; begun: number }): ChangeLog {
  const log = changeLog({ store, journal: undefined });
  const late = async <T>(work: () => Promise<T>): Promise<T> => {
    reads.begun += 1;
    if (reads.slow > 0) await delay(reads.slow);
    return work();
  };
  return Object.create(log, {
    idOf: { value: (revision: number) => late(() => log.idOf(revision)) },
    entries: { value: (after: number, limit: number) => late(() => log.entries(after, limit)) },
  }) as ChangeLog;
}

/** A service with one place for each caller. */
function started(logOf: (store: Store) => ChangeLog): Promise<TestService> {
  return startService({
    filled: false,
    bearer: BEARER,
    more: ({ store, revisions }) => ({
      revisions,
      changes: {
        log: logOf(store),
        records: new ReplicaRecords(store),
        decisions: { partition: "svc", request_properties: "fill", policies_per_user: 10_000 },
        watch: { ...WATCH_LIMITS, readers: 2 },
        replica: { ...REPLICA_SETTINGS, beatMs: 50 },
        replicas: 2,
      },
    }),
  });
}

/** Waits until the place of the caller is free. */
async function expectPlace(ask: (signal: AbortSignal) => Promise<Response>): Promise<void> {
  await expect
    .poll(async () => {
      const next = new AbortController();
      const { status } = await ask(next.signal);
      next.abort();
      return status;
    })
    .toBe(200);
}

const asking =
  ({ url }: TestService, target: string, token: string) =>
  (signal: AbortSignal) =>
    fetch(`${url}${target}`, { headers: { authorization: `Bearer ${token}` }, signal });

it.each(PATHS.flatMap((one) => [1, 2, 3].map((look) => ({ ...one, look }))))(
  "a reader of $path in look $look",
  { timeout: 90_000 },
  async ({ path, token, look }) => {
    const reads = { slow: 0, begun: 0 };
    const service = await started((store) => slowLog(store, reads));
    await service.directory.users.create({ username: "ann" });
    const position = await positionAt(service.store, 1);
    await service.directory.users.create({ username: "ben" });
    const ask = asking(service, `${path}?position=${position}`, token);
    reads.slow = 200;
    reads.begun = 0;
    const gone = new AbortController();
    const asked = ask(gone.signal).catch(() => undefined);
    await expect.poll(() => reads.begun).toBeGreaterThanOrEqual(look);
    gone.abort();
    await asked;
    reads.slow = 0;
    await expectPlace(ask);
    await service.close();
  },
);

it("a reader of a replica that has no log yet", { timeout: 90_000 }, async () => {
  const service = await started((store) =>
    Object.create(changeLog({ store, journal: undefined }), { logId: { value: "" } }),
  );
  const ask = asking(service, "/api/v1/replica", TOKENS.replicate);
  const gone = new AbortController();
  expect((await ask(gone.signal)).status).toBe(200);
  gone.abort();
  await expectPlace(ask);
  await service.close();
});
