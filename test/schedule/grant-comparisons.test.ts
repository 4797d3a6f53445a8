import { excessRight, type Grant } from "@svc-authorizer/policy/analysis/compare/grant.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { afterEach, describe, expect, it } from "vitest";
import { GrantComparisons } from "../../src/threads/grant-comparisons.ts";

const VOCABULARY = { actions: new Map(), resourceTypes: new Map() };
const UNKNOWN = { what: "comparing them takes too long", certain: false };

let comparisons: GrantComparisons | undefined;
afterEach(() => comparisons?.close());

function open(patience?: number): GrantComparisons {
  comparisons = new GrantComparisons({
    partition: "svc",
    vocabulary: VOCABULARY,
    ...(patience === undefined ? {} : { patience }),
  });
  return comparisons;
}

const arn = (text: string) => `arn:svc:fs:::repository/${text}`;

function policy(effect: "allow" | "deny", resource: string, action = "fs:*"): NamedStatements {
  return { name: "P", statement: [{ effect, action: [action], resource }] };
}

const small: Grant = {
  giver: "ann",
  held: [policy("allow", arn("a"))],
  granted: [policy("allow", arn("b"))],
};

/** Takes hours: every part of one resource could be a user's name in the other. */
const hostile: Grant = {
  giver: "eve",
  held: [policy("deny", arn("${user}/a".repeat(400))), policy("allow", "*")],
  granted: [policy("allow", arn("*?a".repeat(2000)))],
};

describe("grants are compared in a thread", () => {
  it("with the answers that a direct comparison gives", async () => {
    const grants: Grant[] = [
      small,
      { ...small, granted: small.held },
      { giver: "ann", held: [policy("allow", arn("${user}"))], granted: [policy("allow", arn("${user}"))] },
      {
        giver: "ann",
        held: [policy("allow", arn("${user}"))],
        granted: [policy("allow", arn("${user}"))],
        actsAs: "bob",
      },
    ];
    const given = open();
    const found = await Promise.all(grants.map((grant) => given.excessRight(grant)));
    const options = { partition: "svc", vocabulary: VOCABULARY };
    expect(found).toEqual(grants.map((grant) => excessRight(grant, options)));
    expect(found.map((one) => one?.certain)).toEqual([true, undefined, undefined, true]);
  });

  it("which is given up when it takes too long, while this thread goes on, and the next one is compared", async () => {
    const given = open(300);
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const [first, second] = await Promise.all([given.excessRight(hostile), given.excessRight(small)]);
    clearInterval(ticking);
    expect(first).toEqual(UNKNOWN);
    expect(second).toMatchObject({ certain: true });
    expect(turns).toBeGreaterThan(1);
  });

  it("a failure is that of its grant alone", async () => {
    const given = open();
    const faulty = { name: "P", statement: [{ effect: () => {}, action: [], resource: "" }] };
    await expect(given.excessRight({ ...small, granted: [faulty as never] })).rejects.toThrow(
      "could not be cloned",
    );
    const wrong = { name: "P", statement: [{ effect: "allow", action: [7], resource: "" }] };
    await expect(given.excessRight({ ...small, granted: [wrong as never] })).rejects.toThrow(TypeError);
    expect(await given.excessRight(small)).toMatchObject({ certain: true });
  });

  it("those of different givers in turn", async () => {
    const order: string[] = [];
    const given = open();
    const ask = (giver: string) => given.excessRight({ ...small, giver }).then(() => order.push(giver));
    await Promise.all([..."aaab"].map(ask));
    expect(order.join("")).toBe("aaba");
  });

  it("not at all where there is too much to hand over", async () => {
    const large = Array.from({ length: 30 }, () => policy("allow", arn("x".repeat(100_000))));
    expect(await open().excessRight({ ...small, held: large })).toEqual(UNKNOWN);
    expect(await open().excessRight({ ...small, granted: large })).toEqual(UNKNOWN);
  });

  it("not where too many wait, and not after the end", async () => {
    const given = open();
    const asked = Array.from({ length: 70 }, () => given.excessRight(hostile));
    const settled = Promise.allSettled(asked);
    await expect(asked.at(-1)).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
    await given.close();
    expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
    await expect(given.excessRight(small)).rejects.toMatchObject({ code: "unavailable" });
  });
});
