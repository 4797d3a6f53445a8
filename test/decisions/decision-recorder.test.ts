import { statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isDecision } from "@svc-authorizer/policy/records/record.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { CheckAnswer, DecisionAudit, DecisionRecord } from "../../src/decisions/decisions.ts";
import type { RequestAnswer } from "../../src/decisions/requests.ts";
import { removeDisk, smallDisk } from "../decision-log/small-disk.ts";
import { linesOf, openTestLog } from "../decision-log/test-log.ts";
import { openWorld, type World } from "./world.ts";

const RESOURCE = "arn:svc:fs:::repository/r/object/o";
const ask = { user: "alice", context: new Map(), explain: false, requestId: "r-1" };
const one = { action: "fs:ReadObject", resource: RESOURCE };
const several = { and: [one, { action: "fs:WriteObject", resource: RESOURCE }] };

let world: World;
let disk: string | undefined = smallDisk();
const mayMount = disk !== undefined;
afterEach(() => world.close());
afterEach(() => {
  removeDisk(disk as string);
  disk = undefined;
});

/** Alice, who may read, in a world that logs and audits all decisions and answers none without its record. */
async function openLogged(sync: "each" | "interval") {
  disk ??= smallDisk() as string;
  const log = await openTestLog(disk, { whenFull: "refuse", sync });
  const audited: DecisionRecord[] = [];
  const audit: DecisionAudit = { decisions: "all", decision: (record) => void audited.push(record) };
  world = await openWorld({ log, audit });
  await world.directory.users.create({ username: "alice" });
  await world.grant("Reading", "fs:ReadObject");
  await world.directory.users.attachPolicy("alice", "Reading");
  return { log, audited, disk };
}

/** Each way in which a decision is made and recorded. */
const WAYS: Readonly<Record<string, (world: World) => Promise<CheckAnswer | RequestAnswer>>> = {
  "about one permission": async ({ decisions }) =>
    decisions.check({ ...ask, required: one, entrance: "check" }),
  "about a tree": async ({ decisions }) => decisions.check({ ...ask, required: several, entrance: "check" }),
  "with an explanation": async ({ decisions }) =>
    decisions.check({ ...ask, required: one, explain: true, entrance: "check" }),
  "about a user who does not exist": async ({ decisions }) =>
    decisions.check({ ...ask, user: "nobody", required: one, entrance: "check" }),
  "about a request of a data server": async ({ decisions }) =>
    decisions.request({
      user: "alice",
      request: {
        api: "main",
        method: "GET",
        path: "/api/v1/repositories/r",
        query: "",
        header: () => undefined,
      },
      items: "told",
      missingBody: "deny",
      context: new Map(),
      entrance: "request",
      requestId: "r-1",
    }),
};

describe.skipIf(!mayMount).each(["each", "interval"] as const)(
  "a decision, its log synchronised: %s",
  (sync) => {
    it.each(Object.entries(WAYS))("%s is audited under the id of its answer", async (_, way) => {
      const { log, audited, disk } = await openLogged(sync);
      const { id, effect } = await way(world);
      expect(audited.map((record) => [record.id, record.effect])).toEqual([[id, effect]]);
      await log.close();
      const logged = linesOf(join(disk, "n1-0")).filter(isDecision);
      expect(logged.map((record) => record.id)).toEqual([id]);
    });

    it.each(Object.entries(WAYS))(
      "%s is neither answered nor audited if the log refuses it",
      async (_, way) => {
        const { log, audited, disk } = await openLogged(sync);
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(join(disk, "filler"), Buffer.alloc((bavail - 2) * bsize));
        const answered: unknown[] = [];
        let refused = 0;
        while (refused < 3) {
          try {
            answered.push((await way(world)).id);
            await log.written();
          } catch (error) {
            if (!isErrorCode(error, "unavailable")) continue;
            refused++;
          }
        }
        expect(answered.length).toBeGreaterThan(0);
        expect(audited.map(({ id }) => id)).toEqual(answered);
        await log.close();
      },
    );
  },
);
