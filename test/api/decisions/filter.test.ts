import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

const service = await closedAfterAll(startService());

const PATH = "/access/v1/filter";
const object = (name: string) => `arn:svc:fs:::repository/data/object/${name}`;
const filter = (body: unknown) => post(service, PATH, body);

describe("a filter", () => {
  it("gives the indexes of the allowed resources", async () => {
    const resources = [object("a"), object("secret"), "*", "nonsense", object("b")];
    const answer = await filter({ user: "alice", action: "fs:ReadObject", resources });
    expect([answer.status, answer.text]).toEqual([200, '{"allowed":[0,4],"complete":true}']);
    const checks = await Promise.all(
      resources.map(async (resource) => {
        const required = { action: "fs:ReadObject", resource };
        return (await post(service, "/access/v1/check", { user: "alice", required })).body.allowed;
      }),
    );
    expect(checks).toEqual([true, false, false, false, true]);
  });

  it("takes ids of a type and its short action names", async () => {
    const body = { user: "alice", type: "repository", ids: ["open", "closed", "data1"] };
    expect((await filter({ ...body, action: "read" })).body.allowed).toEqual([0, 2]);
    expect((await filter({ ...body, action: "fs:ReadRepository" })).body.allowed).toEqual([0, 2]);
    expect((await filter({ ...body, action: "fly" })).body).toEqual({ allowed: [], complete: true });
    expect((await filter({ ...body, type: "planet", action: "read" })).body.allowed).toEqual([]);
  });

  it("reads the context", async () => {
    const body = { user: "bob", action: "fs:ReadObject", resources: [object("a")] };
    expect((await filter({ ...body, context: { SourceIp: "10.0.0.1" } })).body.allowed).toEqual([0]);
    expect((await filter(body)).body.allowed).toEqual([]);
  });

  it("of nobody, and of nothing, is empty", async () => {
    const body = { user: "nobody", action: "fs:ReadObject", resources: [object("a")] };
    expect((await filter(body)).body).toEqual({ allowed: [], complete: true });
    expect((await filter({ ...body, user: "alice", resources: [] })).body.allowed).toEqual([]);
  });

  it("takes 100,000 items and no more, while others are answered", async () => {
    const resources = Array.from({ length: 100_000 }, (_, index) => object(String(index)));
    let longest = 0;
    const done = new AbortController();
    const others = (async () => {
      const required = { action: "fs:ReadObject", resource: object("a") };
      while (!done.signal.aborted) {
        const began = performance.now();
        await post(service, "/access/v1/check", { user: "alice", required });
        longest = Math.max(longest, performance.now() - began);
        await setTimeout(1);
      }
    })();
    const answer = await filter({ user: "alice", action: "fs:ReadObject", resources });
    done.abort();
    await others;
    expect(answer.body.allowed.length).toBe(100_000);
    expect(longest).toBeLessThan(2000);
    expect((await filter({ user: "alice", action: "a", resources: [...resources, "x"] })).status).toBe(400);
  });

  it.each<[string, unknown, string[]]>([
    ["nothing", {}, ["/action", "/resources", "/user"]],
    ["an unknown field", { user: "a", action: "b", resources: [], more: 1 }, ["/more"]],
    ["both forms", { user: "a", action: "b", resources: [], type: "repository", ids: [] }, ["/resources"]],
    ["ids without type", { user: "a", action: "b", ids: [] }, ["/type"]],
    ["type without ids", { user: "a", action: "b", type: "repository" }, ["/ids"]],
    [
      "items of other types",
      { user: "a", action: "b", resources: ["x", 1, null] },
      ["/resources/1", "/resources/2"],
    ],
    ["a lone surrogate", { user: "a", action: "b", resources: ["\ud800"] }, ["/resources/0"]],
    ["a long item", { user: "a", action: "b", resources: ["x".repeat(4097)] }, ["/resources/0"]],
    ["ambiguous ids", { user: "a", action: "b:c", type: "repository", ids: ["x", ""] }, ["/ids/1"]],
  ])("with %s is 400 naming every problem by pointer", async (_title, body, pointers) => {
    const answer = await filter(body);
    expect(answer.status).toBe(400);
    expect(answer.body.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual(pointers);
  });
});
