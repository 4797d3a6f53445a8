/**
 * A replica stream that is cut at every byte (spec/journal §6.5): a state and its name change in one step, or not at all. The
 * bytes are a service's own, of two directories of which the second is what a backup of the first became.
 */

import { ReplicaReader } from "@svc-authorizer/client/embedded/replica-reader.ts";
import type { ReplicaState } from "@svc-authorizer/client/embedded/replica-state.ts";
import { beforeAll, expect, it } from "vitest";
import type { Directory } from "../../../../src/directory/directory.ts";
import { StreamReader, startChanges, TOKENS } from "../../../../test/api/changes/kit.ts";

const READS = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] as const;

/** Returns what a reader holds: its position, and everything that decisions depend on. */
function held(reader: ReplicaReader): string {
  const state = reader.point?.state;
  return JSON.stringify([reader.revision, reader.position, state && contentOf(state)]);
}

function contentOf(state: ReplicaState): unknown {
  const { users, groups, policies, resourceTypes } = state;
  const owned = (of: { of(owner: string): Iterable<unknown> }, owners: Iterable<string>) =>
    [...owners].map((owner) => [owner, ...of.of(owner)]);
  return [
    [...users],
    [...groups],
    [...policies],
    [...resourceTypes],
    owned(state.userGroups, users.keys()),
    owned(state.userPolicies, users.keys()),
    owned(state.groupPolicies, groups.keys()),
    state.resource("record", "r"),
  ];
}

/** Takes the whole lines of a text, as the client reads them; what is behind the last end of a line never came whole. */
function feed(reader: ReplicaReader, text: string): void {
  for (const line of text.split("\n").slice(0, -1)) reader.take(JSON.parse(line) as unknown);
}

async function fill({ users, groups, policies, batches }: Directory, name: string): Promise<void> {
  await users.create({ username: name });
  await groups.create({ name: "Staff" });
  await groups.addMember("Staff", name);
  await policies.create({ name: "Read", statement: READS });
  await groups.attachPolicy("Staff", "Read");
  await batches.apply(
    [
      {
        op: "put_resource_type",
        resourceType: {
          type: "record",
          arn: "arn:svc:demo:::record/{id}",
          id: "{id}",
          actions: { read: "demo:Read" },
        },
      },
      { op: "put_resource", resource: { type: "record", id: "r", properties: { owner: name } } },
    ],
    { managed: true },
  );
}

let before: string;
let after: string;

/** The bytes of a stream: a checkpoint, the newest revision, an entry that removes and one that adds. */
async function bytesOf(name: string): Promise<string> {
  const bed = await startChanges();
  try {
    await fill(bed.directory, name);
    const { reader } = await StreamReader.open(`${bed.url}/api/v1/replica`, TOKENS.replicate, "\n");
    const lines: string[] = [];
    const until = async (isLast: (line: string) => boolean) => {
      do lines.push(await reader.next());
      while (!isLast(lines.at(-1)!));
    };
    await until((line) => line.startsWith('{"type":"revision"'));
    await bed.directory.groups.removeMember("Staff", name);
    await bed.directory.users.create({ username: `${name}-2` });
    let blocks = 0;
    await until((line) => line.startsWith('{"type":"complete"') && ++blocks === 2);
    reader.close();
    return `${lines.join("\n")}\n`;
  } finally {
    await bed.close();
  }
}

beforeAll(async () => {
  before = await bytesOf("alice");
  after = await bytesOf("bob");
});

it("holds a state only under its own name, wherever it is cut", () => {
  // What a reader may hold at the ends of blocks.
  const whole = new Set<string>();
  const steady = new ReplicaReader(() => {});
  feed(steady, before);
  whole.add(held(steady));
  for (const line of after.split("\n").slice(0, -1)) {
    steady.take(JSON.parse(line) as unknown);
    const head = JSON.parse(line) as { type?: string };
    if (head.type === "complete" || head.type === "revision") whole.add(held(steady));
  }
  expect(whole.size).toBe(4);
  const end = held(steady);
  for (let cut = 0; cut <= after.length; cut++) {
    const reader = new ReplicaReader(() => {});
    feed(reader, before);
    reader.begin();
    feed(reader, after.slice(0, cut));
    const now = held(reader);
    if (!whole.has(now)) expect.fail(`cut at byte ${cut}: ${now}`);
    // It comes again, and is sent everything, or what it lacks.
    reader.begin();
    feed(reader, after);
    if (held(reader) !== end) expect.fail(`cut at byte ${cut}, then replayed: ${held(reader)}`);
  }
});

it("holds nothing before its first state and the settings are there, wherever it is cut", () => {
  const firstCurrent = before.indexOf('{"type":"revision"');
  for (let cut = 0; cut <= firstCurrent; cut++) {
    const reader = new ReplicaReader(() => expect.fail("nothing is current yet"));
    feed(reader, before.slice(0, cut));
    expect([reader.point, reader.position]).toEqual([undefined, undefined]);
  }
});

it.each([
  ["a record of a kind that it does not know", '["secret","x",{}]'],
  ["an entry behind a gap", '{"type":"entry","revision":999,"id":"AAAAAAAA","change":{}}'],
  ["the end of a block that did not begin", '{"type":"complete","log":"AAAAAAAA","revision":1,"records":0}'],
])("stays as it was at %s", (_what, line) => {
  const reader = new ReplicaReader(() => {});
  feed(reader, before);
  const was = held(reader);
  expect(() => feed(reader, `${line}\n`)).toThrow();
  expect(held(reader)).toBe(was);
});

it("stays as it was where an entry has a record of a kind that it does not know", () => {
  const reader = new ReplicaReader(() => {});
  feed(reader, before);
  const was = held(reader);
  const next = Number.parseInt(reader.revision!, 10) + 1;
  const lines = [
    `{"type":"entry","revision":${next},"id":"AAAAAAAA","change":{}}`,
    '["user","mallory",{"id":"u"}]',
    '["secret","x",{}]',
  ];
  expect(() => feed(reader, `${lines.join("\n")}\n`)).toThrow();
  expect(held(reader)).toBe(was);
});

it("is current only if the newest entry is its own, and not by its number", () => {
  const ages: number[] = [];
  const reader = new ReplicaReader((age) => ages.push(age));
  feed(reader, before);
  ages.length = 0;
  const [number, , id] = reader.position!.split(".");
  const settings = { partition: "svc", request_properties: "fill", policies_per_user: 10_000 };
  const say = (revision: number, entry?: string) =>
    reader.take({ type: "revision", revision, ...(entry && { id: entry }), age_ms: 7, settings });
  say(Number(number) + 1, "AAAAAAAA");
  say(Number(number) - 1, "AAAAAAAA");
  say(Number(number), "AAAAAAAA");
  expect(ages).toEqual([]);
  say(Number(number), id);
  // A service of version 0.2 names no entry.
  say(Number(number));
  expect(ages).toEqual([7, 7]);
});

it("takes what version 0.2 sends, and names no entry then, nor a log without a name", () => {
  const lines = (log: string) => [
    `{"type":"checkpoint","log":"${log}"}`,
    '["user","alice",{"id":"u"}]',
    '{"type":"complete","revision":7,"records":1}',
    '{"type":"revision","revision":7,"age_ms":0,"settings":{"partition":"svc","request_properties":"fill","policies_per_user":10000}}',
    '{"type":"entry","revision":8,"at":"2026-11-22T08:00:00.000Z","change":{}}',
    '["user","bob",{"id":"v"}]',
    '{"type":"complete","revision":8,"records":1}',
  ];
  const reader = new ReplicaReader(() => {});
  feed(reader, `${lines("h7Gc2xQa").join("\n")}\n`);
  expect([reader.revision, reader.position]).toEqual(["8.h7Gc2xQa", undefined]);
  expect([...reader.point!.state.users.keys()]).toEqual(["alice", "bob"]);
  const nameless = new ReplicaReader(() => {});
  feed(nameless, `${lines("").join("\n")}\n`);
  expect([nameless.revision, nameless.position]).toEqual([undefined, undefined]);
  expect(nameless.point!.state.users.size).toBe(2);
});
