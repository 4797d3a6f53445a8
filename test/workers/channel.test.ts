/** Questions and answers between a primary and its workers (spec/journal §7.3), over a real pair of message ports. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { outcomeUnknown } from "../../src/journal/write-refusals.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Commit } from "../../src/store/port.ts";
import { portableCommit } from "../../src/workers/portable-commit.ts";
import { channelTo } from "./channel-to.ts";

describe("a channel", () => {
  it("brings each answer to its question, whatever their order", async () => {
    const waits: ((value: number) => void)[] = [];
    const channel = channelTo({ wait: () => new Promise((resolve) => waits.push(resolve)) });
    const answers = [channel.ask<number>("wait"), channel.ask<number>("wait"), channel.ask<number>("wait")];
    await expect.poll(() => waits.length).toBe(3);
    waits.reverse().forEach((resolve, index) => {
      resolve(index);
    });
    expect(await Promise.all(answers)).toEqual([2, 1, 0]);
  });

  it("brings errors as they are, with code, problems and time to wait", async () => {
    const error = new AuthorizerError("conflict", "lost", {
      problems: [{ pointer: "/a", message: "m" }],
      retryAfterSeconds: 3,
    });
    const channel = channelTo({
      fail: () => {
        throw error;
      },
      break: () => {
        throw new TypeError("a mistake");
      },
    });
    await expect(channel.ask("fail")).rejects.toMatchObject({
      code: "conflict",
      message: "lost",
      problems: error.problems,
      retryAfterSeconds: 3,
    });
    await expect(channel.ask("break")).rejects.toMatchObject({ code: "internal" });
  });

  it("refuses what waits when the other side is gone", async () => {
    const channel = channelTo({ wait: () => new Promise(() => {}) });
    const answer = channel.ask("wait");
    // It may have been committed.
    const commit = channel.ask("wait", undefined, outcomeUnknown);
    channel.close();
    await expect(answer).rejects.toMatchObject({ code: "unavailable" });
    await expect(commit).rejects.toMatchObject({ code: "outcome_unknown" });
  });

  it("brings a commit whole: what was read decides on the other side as it would here", async () => {
    const store = openMemoryStore();
    const channel = channelTo({ commit: (commit: Commit) => store.commit(commit) });
    const send = (commit: Commit) => channel.ask<number>("commit", portableCommit(commit));
    const read = { partition: "user", prefix: "b", after: undefined, upTo: undefined };
    const commit = (revision: number, value: string): Commit => ({
      reads: {
        revision,
        keys: new Map([["user", new Map([["alice", { record: () => "not to be cloned" }]])]]),
        ranges: [read],
      },
      put: [{ partition: "user", key: "alice", value }],
      change: { users: ["1"] },
    });
    expect(await send(commit(0, "one"))).toBe(1);
    await expect(send(commit(0, "two"))).rejects.toMatchObject({ code: "conflict" });
    expect(await send(commit(1, "two"))).toBe(2);
    await store.commit({ put: [{ partition: "user", key: "bob", value: "x" }] });
    await expect(send(commit(2, "three"))).rejects.toMatchObject({ code: "conflict" });
    await store.close();
  });
});
