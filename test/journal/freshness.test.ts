/** Answers name their revision, and callers ask for one (spec/journal §6.1, spec/journal §6.2): two nodes over one log. */

import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { afterEach, describe, expect, it } from "vitest";
import { openDecisions } from "../../src/decisions/open-decisions.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { CommitNotes, openRevisions, type StoreRevisions } from "../../src/journal/revisions.ts";
import { Health } from "../../src/listeners/health.ts";
import { createServiceListener } from "../../src/listeners/service.ts";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { createStoreCounters, observeStore } from "../../src/observe/metrics/store-metrics.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { DEFAULT_LIMITS } from "../http/default-limits.ts";
import { API_TOKEN, MemoryLog } from "../http/service-kit.ts";
import { type Cable, openNode, sharedBy } from "./bed.ts";

/** Longer than a test: a node hears of others only when it is asked for a revision. */
const NEVER_MS = 3_600_000;

interface Node {
  readonly journal: JournalStore;
  readonly directory: OpenedDirectory;
  readonly revisions: StoreRevisions;
  ask(headers?: Record<string, string>, token?: string): Promise<Response>;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A node that is told of nothing and polls never, behind a real service listener. */
async function openListeningNode(engine: MemoryEngine, cable?: Cable): Promise<Node> {
  const deaf = { ...sharedBy(engine, cable), watch: () => () => {} };
  const journal = await openNode(deaf, { pollMs: NEVER_MS });
  const notes = new CommitNotes();
  const store = observeStore(journal, createStoreCounters());
  const directory = await openDirectoryOn(store);
  const catalog = await openCatalog({ partition: "svc" });
  const decisions = await openDecisions({
    directory,
    catalog,
    endpoints: openEndpoints(catalog),
    cache: { enabled: true, size: 100, ttl: NEVER_MS, jitter: 0 },
    audit: { decisions: "none", decision() {} },
    requestProperties: "fill",
  });
  const revisions = openRevisions({ store, notes, patienceMs: 200 });
  const listener = createServiceListener({
    version: "1",
    decisions,
    bearer: { apiToken: API_TOKEN },
    limits: DEFAULT_LIMITS,
    health: new Health({ checkStore: () => directory.health() }),
    log: new MemoryLog(false),
    counters: createHttpCounters(),
    revisions,
  });
  const url = await listener.listen({ host: "127.0.0.1", port: 0 });
  closing.push(async () => {
    await listener.close();
    await decisions.close();
    revisions.close();
    await directory.close();
    await journal.close();
  });
  const ask: Node["ask"] = (headers = {}, token = API_TOKEN) =>
    fetch(`${url}/access/v1/check`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({
        user: "alice",
        required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/o" },
      }),
    });
  return { journal, directory, revisions, ask };
}

async function openPair(cable?: Cable): Promise<readonly [Node, Node]> {
  const engine = new MemoryEngine();
  const one = await openListeningNode(engine);
  const { directory } = one;
  await directory.users.create({ username: "alice" });
  const statement = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] as const;
  await directory.policies.create({ name: "Read", statement });
  await directory.users.attachPolicy("alice", "Read");
  return [one, await openListeningNode(engine, cable)];
}

const allowed = async (answer: Response): Promise<unknown> =>
  ((await answer.json()) as { allowed?: boolean; code?: string }).allowed;

describe("two nodes of which one is behind", () => {
  it("answer from the revision that a caller asks for, also what they have cached", async () => {
    const [one, other] = await openPair();
    expect(await allowed(await other.ask())).toBe(true);
    const before = other.journal.revision;
    await one.directory.users.detachPolicy("alice", "Read");
    const { revision, logId } = one.journal;
    expect(revision).toBe(before + 1);

    const unaware = await other.ask();
    expect([await allowed(unaware), unaware.headers.get("x-svc-revision")]).toEqual([
      true,
      `${before}.${logId}`,
    ]);
    const aware = await other.ask({ "x-svc-min-revision": `${revision}.${logId}` });
    expect([await allowed(aware), aware.headers.get("x-svc-revision")]).toEqual([
      false,
      `${revision}.${logId}`,
    ]);
    expect(await allowed(await other.ask())).toBe(false);
  });

  it.each([
    ["a revision above the newest one", (n: number, log: string) => `${n + 1}.${log}`, 409, "other_log"],
    ["a revision of another log", (n: number) => `${n}.AAAAAAAA`, 409, "other_log"],
    ["no revision", () => "newest", 400, undefined],
    ["two revisions", (n: number, log: string) => `${n}.${log}, ${n}.${log}`, 400, undefined],
  ] as const)("refuse %s", async (_what, text, status, code) => {
    const [, other] = await openPair();
    const { revision, logId } = other.journal;
    const answer = await other.ask({ "x-svc-min-revision": text(revision, logId) });
    expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual([status, code]);
  });

  it("answer from the entry that a caller asks for, and say that one is lost", async () => {
    const [one, other] = await openPair();
    await one.directory.users.detachPolicy("alice", "Read");
    const position = (await one.ask()).headers.get("x-svc-position")!;
    const { revision, id, log } = one.journal.history.head;
    expect(position).toBe(`${revision}.${log.slice(0, 8)}.${id.slice(0, 8)}`);
    const aware = await other.ask({ "x-svc-min-position": position });
    expect([await allowed(aware), aware.headers.get("x-svc-position")]).toEqual([false, position]);
    const lost = await other.ask({ "x-svc-min-position": position.replace(/[^.]*$/, "AAAAAAAA") });
    expect([lost.status, await lost.json()]).toEqual([409, expect.objectContaining({ code: "went_back" })]);
    const both = {
      "x-svc-min-position": position,
      "x-svc-min-revision": `${revision + 1}.${one.journal.logId}`,
    };
    expect((await other.ask(both)).status).toBe(409);
  });

  it("refuse where the engine cannot be asked, and let the request go on once it can", async () => {
    const cable: Cable = { cut: false };
    const [one, other] = await openPair(cable);
    cable.cut = true;
    await one.directory.users.detachPolicy("alice", "Read");
    const wanted = { "x-svc-min-revision": String(one.journal.revision) };
    const refused = await other.ask(wanted);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect([refused.status, ((await refused.json()) as { code?: string }).code]).toEqual([503, "behind"]);
    cable.cut = false;
    await expect.poll(async () => allowed(await other.ask(wanted))).toBe(false);
  });

  it("bound how many wait", async () => {
    const [one, other] = await openPair();
    await one.directory.users.detachPolicy("alice", "Read");
    const wanted = String(one.journal.revision);
    const reached = () => other.revisions.reached({ revision: wanted });
    const waiting = Array.from({ length: 1_000 }, reached);
    expect(reached).toThrow(expect.objectContaining({ code: "unavailable" }));
    await Promise.all(waiting);
    expect(reached()).toBeUndefined();
  });

  it("name no revision to a caller who is not authenticated", async () => {
    const [one] = await openPair();
    const answer = await one.ask({}, "x".repeat(40));
    expect([answer.status, answer.headers.get("x-svc-revision")]).toEqual([401, null]);
  });
});
