/** `GET /api/v1/replica` over real connections (spec/journal §6.5). */

import { afterEach, describe, expect, it } from "vitest";
import { REPLICATED } from "../../../src/directory/read/replica-records.ts";
import type { Replica } from "../../../src/store/replica.ts";
import type { TestService } from "../../http/service-kit.ts";
import { positionAt, StreamReader, startChanges, TOKENS } from "./kit.ts";

/** Partitions of other rooms, of which nothing is sent. */
const WITHHELD_ELSEWHERE = ["outbox", "outbox_failed", "invitation"];

let bed: TestService;
const readers: StreamReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await bed.close();
});

type Line = readonly [string, string, object?] | { readonly type: string; readonly [field: string]: unknown };

/** A reader that applies what it gets, as a decision point does. */
class Follower {
  readonly heads: { readonly [field: string]: unknown }[] = [];
  records = new Map<string, object>();
  revision = -1;
  #reader: StreamReader;
  #waiting: Line[] = [];

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  async until(revision: number): Promise<void> {
    while (this.revision < revision) {
      const line = JSON.parse(await this.#reader.next()) as Line;
      if (Array.isArray(line)) {
        this.#waiting.push(line);
        continue;
      }
      const head = line as { readonly type: string; readonly [field: string]: unknown };
      this.heads.push(head);
      if (head.type === "checkpoint") this.records = new Map();
      if (head.type !== "complete") continue;
      expect(head.records).toBe(this.#waiting.length);
      for (const [partition, key, fields] of this.#waiting as [string, string, object?][]) {
        if (fields === undefined) this.records.delete(`${partition}/${key}`);
        else this.records.set(`${partition}/${key}`, fields);
      }
      this.#waiting = [];
      this.revision = head.revision as number;
    }
  }
}

async function follow(query = ""): Promise<Follower> {
  const { reader } = await StreamReader.open(`${bed.url}/api/v1/replica${query}`, TOKENS.replicate, "\n");
  readers.push(reader);
  return new Follower(reader);
}

const newest = () => bed.store.history.head.revision;

async function fill(): Promise<void> {
  const { users, groups, policies, credentials, externalPrincipals, tokenClaims, batches } = bed.directory;
  await users.create({ username: "alice", email: "alice@example.com", friendly_name: "Alice A." });
  await groups.create({ name: "Staff", description: "all of us" });
  await groups.addMember("Staff", "alice");
  const statement = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] as const;
  await policies.create({ name: "Read", statement });
  await groups.attachPolicy("Staff", "Read");
  await users.attachPolicy("alice", "Read");
  await credentials.create("alice", {
    access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
    secret_access_key: "a-very-secret-access-key",
  });
  await externalPrincipals.create("alice", "arn:aws:sts::123456789012:assumed-role/Jobs");
  await tokenClaims.claim("one-time-token", Math.floor(Date.now() / 1_000) + 3_600);
  await batches.apply(
    [
      { op: "put_user", user: { username: "bob", external_id: "ext-bob", properties: { team: "red" } } },
      {
        op: "put_resource_type",
        resourceType: {
          type: "record",
          arn: "arn:svc:demo:::record/{id}",
          id: "{id}",
          actions: { read: "demo:Read" },
        },
      },
      { op: "put_resource", resource: { type: "record", id: "r", properties: { status: "open" } } },
    ],
    { managed: true },
  );
}

/** The records of a fresh checkpoint. */
async function whole(): Promise<Map<string, object>> {
  const fresh = await follow();
  await fresh.until(newest());
  return fresh.records;
}

describe("a replica", () => {
  it("has what decisions depend on, and nothing else", async () => {
    bed = await startChanges();
    await fill();
    const records = await whole();
    const partitions = [...new Set([...records.keys()].map((name) => name.split("/")[0]))].sort();
    expect(partitions).toEqual([
      "group",
      "group_policy",
      "policy",
      "resource",
      "resource_type",
      "user",
      "user_group",
      "user_policy",
    ]);
    expect(Object.keys(records.get("user/alice")!)).toEqual(["id"]);
    expect(records.get("user/bob")).toMatchObject({ properties: { team: "red" } });
    expect(Object.keys(records.get("policy/Read")!)).toEqual(["id", "rev", "statement"]);
    const text = JSON.stringify([...records]);
    for (const secret of ["AKIAJ", "example.com", "Alice A.", "one-time", "assumed-role", "ext-bob"]) {
      expect(text).not.toContain(secret);
    }
  });

  it("names every partition of the store, as sent or as withheld", async () => {
    bed = await startChanges();
    await fill();
    await bed.directory.users.delete("alice");
    const stored = new Set<string>();
    for await (const page of (bed.store as Replica).state().pages) {
      for (const { partition } of page) stored.add(partition);
    }
    const named = new Set([...Object.keys(REPLICATED), ...WITHHELD_ELSEWHERE]);
    expect([...stored].filter((partition) => !named.has(partition))).toEqual([]);
    expect(stored.size).toBeGreaterThan(10);
  });

  it("follows: after each entry it equals a fresh one", async () => {
    bed = await startChanges();
    await fill();
    const follower = await follow();
    await follower.until(newest());
    const { users, groups, policies } = bed.directory;
    await users.delete("bob");
    await groups.removeMember("Staff", "alice");
    await policies.update({ name: "Read", statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }] });
    await users.create({ username: "bob" });
    await follower.until(newest());
    expect(follower.records).toEqual(await whole());
    const entries = follower.heads.filter(({ type }) => type === "entry");
    expect(entries.map(({ revision }) => revision)).toEqual(
      entries.map((_, index) => newest() - entries.length + 1 + index),
    );
    expect(entries.some(({ change }) => Array.isArray((change as { users?: unknown }).users))).toBe(true);
  });

  it("goes on behind an entry without a checkpoint while entries are kept, else begins with one", async () => {
    bed = await startChanges();
    await fill();
    const known = newest();
    await bed.directory.users.create({ username: "carol" });
    const position = await positionAt(bed.store, known);
    const kept = await follow(`?position=${position}&after=1.AAAAAAAA`);
    await kept.until(newest());
    expect(kept.heads.map(({ type }) => type).slice(0, 2)).toEqual(["entry", "complete"]);
    const [number, log, entry] = position.split(".");
    const unknown = [
      `after=${known}`,
      `after=${known}.${log}`,
      `after=${known}.`,
      `position=${known}.${log}`,
      `position=${known}.${log}.AAAAAAAA`,
      `position=${newest() + 1}.${log}.${entry}`,
      `position=${number}.AAAAAAAA.${entry}`,
    ];
    for (const query of unknown) {
      const reset = await follow(`?${query}`);
      await reset.until(newest());
      expect(reset.heads[0]).toEqual({ type: "checkpoint", log: bed.store.logId });
      expect(reset.records).toEqual(await whole());
    }
  });

  it("is consistent though others write while its checkpoint is sent", async () => {
    bed = await startChanges();
    const { users, groups } = bed.directory;
    await groups.create({ name: "Staff" });
    await bed.directory.batches.apply(
      Array.from({ length: 3_000 }, (_, index) => ({
        op: "put_user" as const,
        user: { username: `user-${String(index).padStart(5, "0")}` },
      })),
      { managed: false },
    );
    const follower = await follow();
    for (let round = 0; round < 40; round++) {
      const username = `user-${String(round * 70).padStart(5, "0")}`;
      if (round % 2 === 0) await users.delete(username);
      else await groups.addMember("Staff", username);
      await users.create({ username: `late-${round}` });
    }
    await follower.until(newest());
    expect(follower.records).toEqual(await whole());
  });

  it("names the newest revision and its age again and again", async () => {
    bed = await startChanges({ replica: { beatMs: 30, patienceMs: 10_000 } });
    const { reader } = await StreamReader.open(
      `${bed.url}/api/v1/replica?position=${await positionAt(bed.store, newest())}`,
      TOKENS.replicate,
      "\n",
    );
    readers.push(reader);
    for (let beat = 0; beat < 3; beat++) {
      expect(JSON.parse(await reader.next())).toEqual({
        type: "revision",
        revision: newest(),
        id: bed.store.history.head.id.slice(0, 8),
        age_ms: 0,
        settings: { partition: "svc", request_properties: "fill", policies_per_user: 10_000 },
      });
    }
  });

  it("cuts a reader that takes nothing for too long, however large its checkpoint is", async () => {
    bed = await startChanges({ replica: { beatMs: 5_000, patienceMs: 300 } });
    await bed.directory.batches.apply(
      Array.from({ length: 20_000 }, (_, index) => ({
        op: "put_user" as const,
        user: { username: `user-${index}`, properties: { text: "x".repeat(700) } },
      })),
      { managed: false },
    );
    const answer = await fetch(`${bed.url}/api/v1/replica`, {
      headers: { authorization: `Bearer ${TOKENS.replicate}` },
    });
    const reader = answer.body!.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow();
  });

  it("keeps half of the places for other callers", async () => {
    bed = await startChanges({ replicas: 4 });
    const open = async (token: string) => {
      const { answer, reader } = await StreamReader.open(`${bed.url}/api/v1/replica`, token, "\n");
      readers.push(reader);
      return answer.status;
    };
    const { replicate, otherReplicate } = TOKENS;
    const statuses: number[] = [];
    for (const token of [replicate, replicate, replicate, otherReplicate]) statuses.push(await open(token));
    expect(statuses).toEqual([200, 200, 503, 200]);
    readers[0]?.close();
    await expect.poll(() => open(replicate)).toBe(200);
  });

  it("is refused without scope replicate", async () => {
    bed = await startChanges();
    const answer = await fetch(`${bed.url}/api/v1/replica`, {
      headers: { authorization: `Bearer ${TOKENS.read}` },
    });
    expect(answer.status).toBe(403);
  });
});
