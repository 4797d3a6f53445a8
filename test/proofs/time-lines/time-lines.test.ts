/**
 * Readers and callers of a service that goes back to an earlier state, under random writes, restarts and cut connections
 * (spec/journal §6): an embedded decision point, a client that keeps answers, and a reader of the watch. In contact, each
 * answers as the service does, and none refuses for ever.
 */

import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerClient, type WatchEvent } from "@svc-authorizer/client/client.ts";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import type { Directory } from "../../../src/directory/directory.ts";
import { API_TOKEN } from "../../http/service-kit.ts";
import { isWhole, report } from "../size.ts";
import {
  CuttingProxy,
  localService,
  type Node,
  replacedService,
  type Service,
  sharedService,
} from "./service.ts";

const RUNS = isWhole ? 1_000 : 12;
/** Runs at a time. */
const AT_ONCE = 12;
const USERS = ["u0", "u1", "u2"];
const POLICIES = ["P0", "P1"];
/** Longest time in contact until all agree: far more than the 2 s that are promised, for a loaded machine. */
const PATIENCE_MS = 30_000;

type Random = () => number;

/** Numbers from 0 up to 1 that a seed gives (mulberry32). */
function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const resourceOf = (policy: string): string => `arn:svc:fs:::repository/${policy.toLowerCase()}`;

async function fill({ directory }: Node): Promise<void> {
  for (const username of USERS) await directory.users.create({ username });
  for (const name of POLICIES) {
    const statement = [
      { effect: "allow", action: ["fs:ReadRepository"], resource: resourceOf(name) },
    ] as const;
    await directory.policies.create({ name, statement });
  }
  await directory.groups.create({ name: "G" });
  await directory.groups.attachPolicy("G", POLICIES[0]!);
}

/**
 * One random change; nothing where it is there already. A node whose process got no time for longer than its staleness
 * refuses until it has heard from its database: that is waited for, but not for ever.
 */
async function change({ users, groups }: Directory, random: Random): Promise<void> {
  const user = USERS[below(random, USERS.length)]!;
  const policy = POLICIES[below(random, POLICIES.length)]!;
  const kinds = [
    () => users.attachPolicy(user, policy),
    () => users.detachPolicy(user, policy),
    () => groups.addMember("G", user),
    () => groups.removeMember("G", user),
  ];
  const write = kinds[below(random, kinds.length)]!;
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (["not_found", "already_exists", "conflict"].some((code) => isErrorCode(error, code as never)))
        return;
      if (!isErrorCode(error, "stale") || performance.now() > end) throw error;
      await delay(50);
    }
  }
}

/** Answers to every question, as text. */
async function answers(ask: (user: string, resource: string) => Promise<boolean> | boolean): Promise<string> {
  const said: string[] = [];
  for (const user of USERS) {
    for (const policy of POLICIES) said.push((await ask(user, resourceOf(policy))) ? "yes" : "no");
  }
  return said.join(" ");
}

/** A reader of the watch: what it read when it was last told to read anew. */
class WatchingReader {
  readonly #read: () => Promise<string>;
  readonly #stop = new AbortController();
  seen = "";
  #stale = true;

  constructor(client: AuthorizerClient, read: () => Promise<string>) {
    this.#read = read;
    void this.#follow(client.watch({ signal: this.#stop.signal }));
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(events: AsyncIterable<WatchEvent>): Promise<void> {
    let last: number | undefined;
    for await (const event of events) {
      if (event.type === "disconnected") continue;
      // It trusts the numbers that it is told: what is not told as a change or as a reset has not happened.
      if (event.type !== "revision" || last === undefined) this.#stale = true;
      last = event.revision;
      while (this.#stale && !this.#stop.signal.aborted) {
        this.#stale = false;
        this.seen = await this.#read().catch(() => {
          this.#stale = true;
          return "";
        });
      }
    }
  }
}

async function openService(random: Random): Promise<Service> {
  const kind = below(random, 4);
  if (kind === 0) return replacedService(fill);
  if (kind === 1) return localService();
  return sharedService(() => random() < 0.5);
}

async function run(seed: number): Promise<void> {
  const random = seeded(seed);
  const service = await openService(random);
  let calm = false;
  const proxy = new CuttingProxy(
    () => service.nodes[below(random, service.nodes.length)]!.url,
    () => (calm || random() < 0.4 ? Number.POSITIVE_INFINITY : below(random, 3_000)),
  );
  const url = await proxy.listen();
  const cached = new AuthorizerClient({
    url,
    token: API_TOKEN,
    cache: { onError: () => {} },
    timeout: 5_000,
  });
  const plain = new AuthorizerClient({ url, token: API_TOKEN, timeout: 5_000 });
  const closing: (() => unknown)[] = [() => cached.close()];
  try {
    await fill(service.nodes[0]!);
    const point = await EmbeddedAuthorizer.follow({ url, token: API_TOKEN });
    closing.push(() => point.close());
    const ask = (client: AuthorizerClient) => (user: string, resource: string) =>
      client.allows(user, "fs:ReadRepository", resource);
    const watching = new WatchingReader(plain, () => answers(ask(plain)));
    closing.push(() => watching.close());
    const writes = async (most: number): Promise<void> => {
      const count = below(random, most + 1);
      for (let index = 0; index < count; index++) {
        await change(service.nodes[below(random, service.nodes.length)]!.directory, random);
        if (random() < 0.2) await answers(ask(cached)).catch(() => undefined);
      }
    };
    for (let round = 0; round < 1 + below(random, 3); round++) {
      await writes(5);
      await service.save();
      await writes(random() < 0.3 ? 50 : 5);
      if (random() < 0.7) await answers(ask(cached)).catch(() => undefined);
      if (random() < 0.5) proxy.cut();
      await service.putBack();
      await writes(random() < 0.5 ? 0 : 8);
      if (random() < 0.5) proxy.cut();
    }
    calm = true;
    proxy.cut();
    await agree(service, {
      "the embedded point": () =>
        answers((user, resource) => point.allows(user, "fs:ReadRepository", resource)),
      "the client that keeps answers": () => answers(ask(cached)),
      "the reader of the watch": async () => watching.seen,
    });
  } finally {
    for (const close of closing) close();
    proxy.close();
    await service.close();
  }
}

/** Waits until all say what the service says, which must be one thing. */
async function agree(service: Service, readers: Record<string, () => Promise<string>>): Promise<void> {
  const served = await Promise.all(
    service.nodes.map(async (node) => {
      await node.store.prove?.();
      return answers(async (user, resource) => {
        const fresh = new AuthorizerClient({ url: node.url, token: API_TOKEN });
        return fresh.allows(user, "fs:ReadRepository", resource);
      });
    }),
  );
  expect(new Set(served).size, "the nodes agree").toBe(1);
  for (const [name, ask] of Object.entries(readers)) await say(name, ask, served[0]!);
}

/**
 * Waits until a reader says what is wanted. `expect.poll` would keep the services of all runs in memory until the test
 * ends, and slow down the last ones until their nodes are late.
 */
async function say(name: string, ask: () => Promise<string>, wanted: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const said = await ask().catch((error: unknown) => String(error));
    if (said === wanted) return;
    if (performance.now() > end) expect(said, name).toBe(wanted);
    await delay(20);
  }
}

it(
  `answer as the service does, in ${RUNS} random runs`,
  async () => {
    const first = Number(process.env["SEED"] ?? Date.now() % 1_000_000_000);
    let next = 0;
    // A run mostly waits: several at once take little more time than one.
    const some = async (): Promise<void> => {
      while (next < RUNS) {
        const seed = first + next++;
        await run(seed).catch((cause: unknown) => {
          throw new Error(`SEED=${seed}: ${String(cause)}`, { cause });
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    report(`${RUNS} runs, no difference`);
  },
  isWhole ? 7_200_000 : 300_000,
);
