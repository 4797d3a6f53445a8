/**
 * Two nodes on one PostgreSQL mirror a repository, and the one that acts is killed, stopped, cut off from the database or from
 * a data server, while a call of it is held on its way to the mirror past its lease: no branch of the mirror ever goes back
 * (M3, M10), and in the end all arrives.
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../../end-to-end/program.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "../../journal/postgres-cluster.ts";
import { isWhole, report, sized } from "../size.ts";
import type { HeldCall } from "./lines.ts";
import { MirrorNode } from "./nodes.ts";
import { type MirrorServers, openServers } from "./servers.ts";

/** Time for which the acting node is stopped or cut off at least. */
const AWAY_MS = sized(0, 60_000);
/** Time for which a node is cut off from a data server, longer than its calls wait. */
const CUT_MS = sized(3_000, 90_000);
const ROUNDS = sized(1, 3);
/** Calls that are held, one in each round. */
const CALLS: readonly HeldCall[] = ["hard reset", "creation", "deletion"];

/** Something that happens to the node that acts. Resolves when the other one may be expected to act, or it is over. */
interface Trouble {
  readonly name: string;
  /** True where the other node takes over. */
  readonly isTakenOver: boolean;
  begin(acting: MirrorNode): void;
  end(acting: MirrorNode): Promise<void> | void;
}

const TROUBLES: readonly Trouble[] = [
  {
    name: "is killed",
    isTakenOver: true,
    begin: ({ program }) => void program.child.kill("SIGKILL"),
    end: (acting) => acting.restart(),
  },
  {
    name: "is stopped",
    isTakenOver: true,
    begin: ({ program }) => void program.child.kill("SIGSTOP"),
    end: ({ program }) => void program.child.kill("SIGCONT"),
  },
  {
    name: "is cut off from the database",
    isTakenOver: true,
    begin: ({ database }) => database.cut(),
    end: ({ database }) => database.mend(),
  },
  {
    name: "is cut off from the source",
    isTakenOver: false,
    begin: ({ source }) => {
      source.isCut = true;
    },
    end: ({ source }) => source.mend(),
  },
  {
    name: "is cut off from the mirror",
    isTakenOver: false,
    begin: ({ destination }) => {
      destination.isCut = true;
    },
    end: ({ destination }) => destination.mend(),
  },
];

/** Pairs of nodes, and the troubles of each: a pair for each trouble where the proof is whole, else one trouble after another. */
const PAIRS = (isWhole ? TROUBLES.map((one) => [one]) : [TROUBLES.slice(0, 2), TROUBLES.slice(2)]).map(
  (troubles) => ({ name: troubles.map(({ name }) => name).join(", then "), troubles }),
);

describe.skipIf(postgresBin() === undefined)("proof: two nodes that mirror", () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(async () => {
    cleanUp();
    await cluster.close();
  });

  /** The acting node and the other one, and somebody who writes to the source meanwhile. */
  async function begin(): Promise<{ servers: MirrorServers; nodes: [MirrorNode, MirrorNode] }> {
    const servers = await openServers();
    const database = await cluster.newDatabase();
    const acting = await MirrorNode.start({ ...servers, database });
    const other = await MirrorNode.start({ ...servers, database });
    await servers.commit("main");
    servers.replicate();
    await acting.createMirror();
    await Promise.race([acting.act(), other.act()]);
    while ((await servers.behind()).length > 0) await delay(200);
    return { servers, nodes: await inTurn([acting, other]) };
  }

  /** The node that acts now, and the other one: one whose calls hang for longer than the lease loses it, too. */
  async function inTurn([one, other]: [MirrorNode, MirrorNode]): Promise<[MirrorNode, MirrorNode]> {
    const isOne = await Promise.race([one.act().then(() => true), other.act().then(() => false)]);
    return isOne ? [one, other] : [other, one];
  }

  /** One trouble while a call is on its way; the other node has moved the branch when it comes to its end. */
  async function suffer(
    { isTakenOver, begin: start, end }: Trouble,
    acting: MirrorNode,
    other: MirrorNode,
    servers: MirrorServers,
    call: HeldCall = "hard reset",
  ) {
    const started = performance.now();
    const { isHeld, release } = acting.destination.hold(call);
    await servers.commit("main");
    servers.replicate();
    await isHeld;
    start(acting);
    await servers.commit("main");
    await servers.write();
    servers.replicate();
    if (isTakenOver) {
      await other.act();
      while ((await servers.behind()).length > 0) await delay(200);
      await delay(Math.max(0, AWAY_MS - (performance.now() - started)));
      release();
    } else {
      await delay(CUT_MS);
      release();
    }
    await end(acting);
  }

  async function arrive(servers: MirrorServers): Promise<void> {
    await servers.commit("main");
    servers.replicate();
    while ((await servers.behind()).length > 0) await delay(200);
  }

  it.concurrent.each(PAIRS)(
    "while the one that acts $name",
    async ({ name, troubles }) => {
      const { servers, nodes } = await begin();
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const trouble of troubles) {
          const [acting, other] = await inTurn(nodes);
          await suffer(trouble, acting, other, servers, CALLS[round]);
          await arrive(servers);
        }
      }
      await servers.judge();
      report(`two nodes that mirror, one ${name}: ${ROUNDS} times, ${servers.violations.length} violations`);
      expect(servers.violations).toEqual([]);
      await servers.close();
    },
    sized(600_000, 1_800_000),
  );

  it.concurrent("is seen where branches are pointed at commits", async () => {
    const { servers, nodes } = await begin();
    const [acting, other] = nodes;
    for (const { destination } of nodes) destination.pointsAtCommits = true;
    const stopped = TROUBLES.find(({ name }) => name === "is stopped");
    if (stopped === undefined) throw new Error("no such trouble");
    await suffer(stopped, acting, other, servers);
    const isSeen = (): boolean => servers.violations.some((one) => one.startsWith("M3"));
    const last = performance.now() + 60_000;
    while (!isSeen() && performance.now() < last) {
      await servers.judge();
      await delay(50);
    }
    expect(isSeen()).toBe(true);
    await servers.close();
  }, 600_000);
});
