/** A client asks for what its watch told it about, by whichever node it is answered (journal.md §6). */

import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { describe, expect, it } from "vitest";

const LOST = "12.logAAAAA.lostEnt1";
const BACK = "9.logAAAAA.entryNo9";
const NEXT = "10.logAAAAA.entryN10";

const revisionOf = (position: string): string => position.slice(0, position.lastIndexOf("."));
const headers = (position: string): Record<string, string> => ({
  "x-svc-revision": revisionOf(position),
  "x-svc-position": position,
});

/** A service behind one address: the watch says `events`, a question is answered by what `answers` gives next. */
function service(events: [type: string, position: string][], answers: (() => Response)[]) {
  const asked: (string | null)[] = [];
  const client = new AuthorizerClient({
    url: "http://service.test",
    token: "token",
    retries: 0,
    fetch: async (target, init) => {
      if (String(target).includes("/watch")) {
        const text = events
          .map(([type, id]) => {
            const data = {
              revision: Number.parseInt(id, 10),
              at: "",
              ...(type === "change" && { change: {} }),
            };
            return `event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
          })
          .join("");
        return new Response(text, { headers: { "content-type": "text/event-stream" } });
      }
      asked.push(new Headers(init?.headers).get("x-svc-min-position"));
      return answers.shift()!();
    },
  });
  const ask = () => client.allows("u", "fs:ReadObject", "*").catch((error: { code: string }) => error.code);
  const watch = async (): Promise<void> => {
    let left = events.length;
    for await (const _ of client.watch()) if (--left === 0) return;
  };
  return { asked, ask, watch };
}

const allow = (position: string) => () => Response.json({ decision: true }, { headers: headers(position) });
const wentBack = () => Response.json({ code: "went_back", message: "lost" }, { status: 409 });

describe("after an event of the watch, a client asks for", () => {
  it("the entry of a change, which another node may not have yet", async () => {
    const { asked, ask, watch } = service([["change", NEXT]], [allow(BACK), allow(NEXT)]);
    await ask();
    await watch();
    await ask();
    expect(asked).toEqual([null, NEXT]);
  });

  it("the entry of a reset, in place of a later one that was lost", async () => {
    const { asked, ask, watch } = service([["reset", BACK]], [allow(LOST), allow(BACK)]);
    await ask();
    await watch();
    await ask();
    expect(asked).toEqual([null, BACK]);
  });

  it("that entry also after an answer from the lost log came late, and was refused", async () => {
    const { asked, ask, watch } = service([["reset", BACK]], [allow(LOST), wentBack, allow(BACK)]);
    await watch();
    await ask();
    expect(await ask()).toBe("went_back");
    await ask();
    expect(asked).toEqual([BACK, LOST, BACK]);
  });

  it("nothing where that very entry was lost", async () => {
    const { asked, ask, watch } = service([["revision", LOST]], [wentBack, allow(BACK)]);
    await watch();
    expect(await ask()).toBe("went_back");
    await ask();
    expect(asked).toEqual([LOST, null]);
  });
});
