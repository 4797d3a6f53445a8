/** Guesses of passwords that another server compares (spec/sign-in §6). */

import { afterEach, describe, expect, it, vi } from "vitest";
import { PasswordSignIn, type PasswordWay, WrongPassword } from "../../src/sign-in/password-sign-in.ts";

const SOURCE = "198.51.100.7";

/** A slow server elsewhere that knows the password `right`, and how often it was asked. */
function slowServer() {
  const asked: string[] = [];
  const way: PasswordWay = {
    isElsewhere: true,
    way: { name: "elsewhere", title: "Elsewhere" },
    verify: async ({ username, password }) => {
      asked.push(username);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return password === "right" ? { identity: { username, userId: "1" }, isNew: false } : undefined;
    },
  };
  const signIn = new PasswordSignIn({
    ways: [way],
    isAccessKey: async () => false,
    isUser: async () => false,
    limit: { count: 3, intervalMs: 3_600_000 },
  });
  const attempt = (username: string, password: string, isForwarded = false) =>
    signIn.signIn({ username, password, source: SOURCE, isForwarded }).then(
      () => "signed in",
      (error: unknown) => (error instanceof WrongPassword ? "wrong" : error),
    );
  return { asked, attempt };
}

describe("guesses of a password that another server compares", () => {
  it("are not more at once than may fail one after another", async () => {
    const { asked, attempt } = slowServer();
    const all = Array.from({ length: 20 }, (_, index) => attempt("alice", `guess ${index}`));
    expect(new Set(await Promise.all(all))).toEqual(new Set(["wrong"]));
    expect(asked).toHaveLength(3);
    await attempt("alice", "right");
    expect(asked).toHaveLength(3);
  });

  it("are bounded for a source, too, whatever the names", async () => {
    const { asked, attempt } = slowServer();
    await Promise.all(Array.from({ length: 40 }, (_, index) => attempt(`user-${index}`, "guess")));
    expect(asked).toHaveLength(12);
  });

  it("count for one name in every spelling that is the same elsewhere", async () => {
    const { asked, attempt } = slowServer();
    for (const name of ["alice", "ALICE", " Alice ", "\uff41lice", "aLICE"]) await attempt(name, "guess");
    expect(asked).toHaveLength(3);
  });

  it("hold no place once they are over: right ones go on without end", async () => {
    const { attempt } = slowServer();
    for (let count = 0; count < 10; count++) expect(await attempt("alice", "right")).toBe("signed in");
  });

  describe("whatever is done to the clock", () => {
    const HOUR_MS = 3_600_000;
    const monotonic = performance.now.bind(performance);
    afterEach(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });

    it.each([
      ["end after their time", -HOUR_MS, HOUR_MS, "signed in"],
      ["count until their time is over", 24 * HOUR_MS, 0, "wrong"],
    ])("%s", async (_, setBy, passed, outcome) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const { attempt } = slowServer();
      for (let count = 0; count < 3; count++) await attempt("alice", "guess");
      vi.setSystemTime(Date.now() + setBy + passed);
      vi.spyOn(performance, "now").mockImplementation(() => monotonic() + passed);
      expect(await attempt("alice", "right")).toBe(outcome);
    });
  });

  it("are not made with what looks like an access key, and a server that forwards many is not held up", async () => {
    const { asked, attempt } = slowServer();
    expect(await attempt("AKIAJ23456789ABCDEFQ", "right", true)).toBe("wrong");
    expect(asked).toEqual([]);
  });
});
