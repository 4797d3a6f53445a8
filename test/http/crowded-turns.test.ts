import type { Socket } from "node:net";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { CrowdedTurns } from "../../src/http/server/crowded-turns.ts";
import { connectTo, requestText, startService } from "./service-kit.ts";

/** Connections by their number, those to read first last, and a clock of one's own. */
function counted(count: number) {
  const all = Array.from({ length: count }, (_, index) => index);
  const [paused, read, clock] = [new Set<number>(), [] as number[], { ms: 0 }];
  const turns = new CrowdedTurns(
    {
      pauseAll: () => {
        const more = all.filter((one) => !paused.has(one));
        for (const one of more) paused.add(one);
        return more as unknown as Socket[];
      },
      goOn: (socket) => {
        paused.delete(socket as unknown as number);
        read.push(socket as unknown as number);
      },
    },
    () => clock.ms,
  );
  const note = (times: number, msEach: number): void => {
    for (let n = 0; n < times; n++) {
      turns.note();
      clock.ms += msEach;
    }
  };
  return { note, paused, read };
}

it("lets other connections wait once many events took long in one turn, and reads a part of them in each turn after it", async () => {
  const { note, paused, read } = counted(1_000);
  // Few events that took long, and many that did not.
  note(31, 1);
  await setImmediate();
  note(1_000, 0);
  await setImmediate();
  expect(paused.size).toBe(0);
  note(100, 0.2);
  expect(paused.size).toBe(1_000);
  await setImmediate();
  expect(read.length).toBe(128);
  // The last first, and some of those that have waited for longest.
  expect(read[0]).toBe(999);
  expect(read.slice(-32)).toEqual(Array.from({ length: 32 }, (_, index) => index));
  for (let turn = 0; turn < 8; turn++) await setImmediate();
  expect(new Set(read).size).toBe(1_000);
  expect(paused.size).toBe(0);
});

it("serves who comes while thousands end within a request, and who was there before", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const question = JSON.stringify({
    user: "alice",
    required: { action: "fs:ReadRepository", resource: "arn:svc:fs:::repository/open" },
  });
  const whole = requestText(service, "/access/v1/check", question, ["Connection: close"]);
  const before = connectTo(service.url);
  before.write(whole.slice(0, -40));
  const { port } = new URL(service.url);
  const halves = Array.from({ length: 1_200 }, (_, index) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket
      .on("error", () => {})
      .write("GET /healthz HTTP/1.1\r\nHo", () => {
        if (index % 2 === 0) socket.end();
        else socket.resetAndDestroy();
      });
    return socket;
  });
  await Promise.all(halves.map((socket) => new Promise<void>((done) => socket.once("close", () => done()))));
  before.write(whole.slice(-40));
  const after = connectTo(service.url);
  after.write(whole);
  for (const socket of [before, after]) {
    let text = "";
    for await (const piece of socket) text += piece;
    expect(text).toMatch(/^HTTP\/1\.1 200 .*\{"allowed":true/s);
  }
});
