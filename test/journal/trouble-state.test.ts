import { expect, it } from "vitest";
import { NothingDone } from "../../src/journal/engine.ts";
import { TroubleState, troubleKind } from "../../src/journal/trouble-state.ts";
import { asUnavailable } from "../../src/journal/write-refusals.ts";
import { TROUBLE_CLAUSES, troubleInWords } from "../../src/store/trouble.ts";

const withCode = (code: string | number, name = "Error") =>
  Object.assign(new Error("host db.internal with password x"), { code, name });

it.each([
  [withCode("ECONNREFUSED"), "away"],
  [new NothingDone("nothing answers", { cause: withCode("ECONNREFUSED") }), "away"],
  [
    new NothingDone("it closed the connection", { cause: new Error("Connection terminated unexpectedly") }),
    "away",
  ],
  [withCode("57P02"), "away"],
  [new NothingDone("it is read-only; name the primary", { cause: withCode("25006") }), "read_only"],
  [
    new NothingDone("a connection leads to a standby: name the primary in the connection string"),
    "read_only",
  ],
  [new NothingDone("user or password is wrong", { cause: withCode("28P01") }), "access"],
  [withCode("57014"), "locked"],
  [new NothingDone("its disk is full", { cause: withCode("53100") }), "full"],
  [withCode("", "ThrottlingException"), "busy"],
  [withCode(403), "access"],
  [Object.assign(new NothingDone("the log is another one"), { name: "LogMissing" }), "other_log"],
  [new NothingDone("what follows entry 7 of the log is gone"), "behind"],
  [new NothingDone("something else"), "failing"],
  ["no error", "away"],
] as const)("%s is classified", (error, kind) => {
  expect(troubleKind(error)).toBe(kind);
  const { message } = asUnavailable(error) as Error;
  expect(message).toBe(`Nothing was changed: ${TROUBLE_CLAUSES[kind]}.`);
  expect(message).not.toMatch(/db\.internal|connection string|database\.postgres/);
});

it("keeps what concerns only writes until one succeeds, and the time at which it began", () => {
  let now = 1_000;
  const state = new TroubleState(() => now);
  state.failed(withCode("ECONNREFUSED"));
  now = 2_000;
  state.failed(withCode("ECONNREFUSED"));
  expect(state.trouble).toEqual({ kind: "away", since: 1_000, isReadable: false });
  state.read();
  expect(state.trouble).toBeUndefined();
  state.failed(withCode("25006"));
  state.read();
  now = 3_000;
  state.failed(withCode("25006"));
  state.read();
  expect(state.trouble).toEqual({ kind: "read_only", since: 2_000, isReadable: true });
  state.wrote();
  expect(state.trouble).toBeUndefined();
});

it("says what goes on, and when it stops", () => {
  const trouble = { kind: "away", since: 0, isReadable: false, stopsAt: 300_000 } as const;
  expect(troubleInWords(trouble, 1_000)).toBe(
    "The database cannot be reached since 1970-01-01T00:00:00.000Z. Decisions go on from this node's copy until 1970-01-01T00:05:00.000Z; changes are refused.",
  );
  expect(troubleInWords(trouble, 300_000)).toBe(
    "The database cannot be reached since 1970-01-01T00:00:00.000Z. Decisions stopped at 1970-01-01T00:05:00.000Z, and nothing is answered.",
  );
});
