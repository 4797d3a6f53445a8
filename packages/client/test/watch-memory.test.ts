/** A client asks for what its watch told it, and its watch tells what calls read elsewhere (spec/journal §6). */

import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const LOST = "12.logAAAAA.lostEnt1";
const BACK = "9.logAAAAA.entryNo9";
const NEXT = "10.logAAAAA.entryN10";

const stop: AbortController[] = [];
afterEach(() => {
  for (const one of stop.splice(0)) one.abort();
});

const headers = (position: string): Record<string, string> => ({
  "x-svc-revision": position.slice(0, position.lastIndexOf(".")),
  "x-svc-position": position,
});
const allow = (position: string) => () => Response.json({ decision: true }, { headers: headers(position) });
const wentBack = () => Response.json({ code: "went_back", message: "lost" }, { status: 409 });

/** A service behind one address: its watch says what `say` is given, a question is answered by what `answers` gives next. */
function service(answers: (() => Response)[]) {
  const asked: (string | null)[] = [];
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const client = new AuthorizerClient({
    url: "http://service.test",
    token: "token",
    retries: 0,
    fetch: async (target, init) => {
      if (String(target).includes("/watch")) {
        return new Response(readable, { headers: { "content-type": "text/event-stream" } });
      }
      asked.push(new Headers(init?.headers).get("x-svc-min-position"));
      return answers.shift()!();
    },
  });
  const gone = new AbortController();
  stop.push(gone);
  const events = client.watch({ signal: gone.signal });
  return {
    asked,
    ask: () => client.allows("u", "fs:ReadObject", "*").catch((error: { code: string }) => error.code),
    /** Resolves with the next event. */
    async hear(): Promise<string> {
      const { value } = await events.next();
      if (value === undefined || value.type === "disconnected") throw new Error("no event");
      return `${value.type} ${value.position}`;
    },
    say(type: "change" | "revision" | "reset", position: string): void {
      const data = {
        revision: Number.parseInt(position, 10),
        at: "",
        ...(type === "change" && { change: {} }),
      };
      const text = `event: ${type}\nid: ${position}\ndata: ${JSON.stringify(data)}\n\n`;
      void writer.write(new TextEncoder().encode(text)).catch(() => undefined);
    },
  };
}

describe("after an event of the watch, a client asks for", () => {
  it("the entry of a change, which another node may not have yet", async () => {
    const { asked, ask, say, hear } = service([allow(BACK), allow(NEXT)]);
    await ask();
    say("change", NEXT);
    await hear();
    await ask();
    expect(asked).toEqual([null, NEXT]);
  });

  it("the entry of a reset, in place of a later one that was lost", async () => {
    const { asked, ask, say, hear } = service([allow(LOST), allow(BACK)]);
    await ask();
    say("reset", BACK);
    await hear();
    await ask();
    expect(asked).toEqual([null, BACK]);
  });

  it("that entry also after an answer from the lost log came late, and was refused", async () => {
    const { asked, ask, say, hear } = service([allow(LOST), wentBack, allow(BACK)]);
    say("reset", BACK);
    await hear();
    await ask();
    expect(await ask()).toBe("went_back");
    await ask();
    expect(asked).toEqual([BACK, LOST, BACK]);
  });

  it("nothing where that very entry was lost", async () => {
    const { asked, ask, say, hear } = service([wentBack, allow(BACK)]);
    say("revision", LOST);
    await hear();
    expect(await ask()).toBe("went_back");
    await ask();
    expect(asked).toEqual([LOST, null]);
  });
});

describe("a watch says that everything must be read anew where a call", () => {
  // A busy machine must not make a watch late.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("read an entry that the watch does not come to tell: its node had not heard of a loss", async () => {
    const { ask, say, hear } = service([allow(LOST)]);
    say("revision", BACK);
    await hear();
    await ask();
    vi.advanceTimersByTime(2_000);
    expect(await hear()).toBe(`reset ${BACK}`);
  });

  it("read another entry of a number than the watch tells", async () => {
    const { ask, say, hear } = service([allow("10.logAAAAA.lostEnt0")]);
    say("revision", BACK);
    await hear();
    await ask();
    say("change", NEXT);
    expect(await hear()).toBe(`change ${NEXT}`);
    expect(await hear()).toBe(`reset ${NEXT}`);
  });

  it("was told that what it asked for is lost", async () => {
    const { ask, say, hear } = service([allow(LOST), wentBack]);
    say("revision", BACK);
    await hear();
    await ask();
    await ask();
    expect(await hear()).toBe(`reset ${BACK}`);
  });

  it("and not where the watch comes to it in time", async () => {
    const { ask, say, hear } = service([allow(NEXT)]);
    say("revision", BACK);
    await hear();
    await ask();
    say("change", NEXT);
    say("change", "11.logAAAAA.entryN11");
    expect(await hear()).toBe(`change ${NEXT}`);
    expect(await hear()).toBe("change 11.logAAAAA.entryN11");
    vi.advanceTimersByTime(2_000);
    say("revision", "11.logAAAAA.entryN11");
    expect(await hear()).toBe("revision 11.logAAAAA.entryN11");
  });
});
