import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { AnswerBudget } from "../../src/http/server/answer-budget.ts";
import { connectTo } from "./service-kit.ts";

/** A connection as a listener has it. */
async function connected(): Promise<Socket> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const peer = connectTo(`http://127.0.0.1:${port}`);
  const [socket] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    for (const one of [peer, socket]) one.destroy();
    server.close();
  });
  return socket;
}

it("counts what a connection holds until it takes it or is closed", async () => {
  const gauge = { answerBytes: 0 };
  const budget = new AnswerBudget(1_000, gauge);
  const socket = await connected();
  budget.hold(socket, 300);
  budget.hold(socket, 200);
  budget.release(socket, 300);
  expect(gauge.answerBytes).toBe(200);
  socket.destroy();
  await once(socket, "close");
  expect(gauge.answerBytes).toBe(0);
});

it("counts nothing for a connection that is closed already: what it would hold nobody gives back", async () => {
  const gauge = { answerBytes: 0 };
  const budget = new AnswerBudget(1_000, gauge);
  const socket = await connected();
  socket.destroy();
  await once(socket, "close");
  budget.hold(socket, 300);
  expect(gauge.answerBytes).toBe(0);
});
