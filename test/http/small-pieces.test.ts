import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { SmallPieces } from "../../src/http/server/small-pieces.ts";
import { connectTo, requestText, startService } from "./service-kit.ts";

it("lets other connections wait for a turn once thousands of small pieces came in one", async () => {
  const said: string[] = [];
  const pieces = new SmallPieces(() => {
    said.push("wait");
    return () => said.push("go on");
  });
  for (let index = 0; index < 4_095; index++) pieces.note(1);
  for (let index = 0; index < 4_095; index++) pieces.note(16);
  expect(said).toEqual([]);
  for (let index = 0; index < 4_095; index++) pieces.note(15);
  expect(said).toEqual(["wait"]);
  await setImmediate();
  expect(said).toEqual(["wait", "go on"]);
  for (let index = 0; index < 4_095; index++) pieces.note(1);
  await setImmediate();
  expect(said).toHaveLength(2);
});

it("keeps what other connections send meanwhile, before and behind the pause", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const question = JSON.stringify({
    user: "alice",
    required: { action: "fs:ReadRepository", resource: "arn:svc:fs:::repository/open" },
  });
  const whole = requestText(service, "/access/v1/check", question, ["Connection: close"]);
  const halves = Array.from({ length: 10 }, () => connectTo(service.url));
  for (const socket of halves) socket.write(whole.slice(0, -40));
  const head = requestText(service, "/access/v1/check", "", ["Transfer-Encoding: chunked"]);
  const hostile = head.replace(/Content-Length: 0\r\n/i, "") + "1\r\n \r\n".repeat(20_000);
  const bits = Array.from({ length: 10 }, () => connectTo(service.url));
  for (const socket of bits) socket.on("error", () => {}).write(hostile);
  for (const socket of halves) socket.write(whole.slice(-40));
  for (const socket of halves) {
    let text = "";
    for await (const piece of socket) text += piece;
    expect(text).toMatch(/^HTTP\/1\.1 200 .*\{"allowed":true/s);
  }
  for (const socket of bits) {
    socket.resume();
    if (!socket.closed) await once(socket, "close");
  }
});
