/** Request bodies that cost much or never end: what they may take, and that others are served meanwhile. */

import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { BodyBudget } from "../../src/http/body/body-budget.ts";
import { LineSplitter } from "../../src/http/body/lines.ts";
import { connectTo, post, readToEnd, requestText, startService, type TestService } from "./service-kit.ts";

const HOT = "/access/v1/check";
const CHECK = {
  user: "alice",
  required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data" },
};
const CLOSE = "Connection: close";
const TEXT = JSON.stringify(CHECK);

let service: TestService;
afterEach(() => service.close());

/** The head of a chunked request. */
function chunkedHead(path: string): string {
  return requestText(service, path, "", [CLOSE]).replace(/Content-Length: 0/, "Transfer-Encoding: chunked");
}

describe("a body in pieces", () => {
  it("is read whole, however it was cut", async () => {
    service = await startService();
    const socket = connectTo(service.url);
    socket.write(chunkedHead(HOT));
    for (const character of TEXT) socket.write(`1\r\n${character}\r\n`);
    socket.write("0\r\n\r\n");
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(service.counters.bodyBytes).toBe(0);
  });

  it("of one byte each, thousands of them, is 400 and ends the connection", async () => {
    service = await startService();
    const socket = connectTo(service.url);
    socket.on("error", () => {});
    socket.write(chunkedHead(HOT) + "1\r\n \r\n".repeat(20_000));
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*too many pieces/);
    expect(service.counters.bodyBytes).toBe(0);
  });

  it("of some bytes each may have thousands of them", async () => {
    service = await startService();
    const socket = connectTo(service.url);
    const blanks = `14\r\n${" ".repeat(20)}\r\n`.repeat(5000);
    socket.write(`${chunkedHead(HOT)}${blanks}${TEXT.length.toString(16)}\r\n${TEXT}\r\n0\r\n\r\n`);
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("bodies under way", () => {
  it("take no places: others are admitted however many do not end", async () => {
    service = await startService({ limits: { queue: 4 } });
    const unfinished = Array.from({ length: 20 }, () => connectTo(service.url));
    for (const socket of unfinished) socket.write(requestText(service, HOT, TEXT, [CLOSE]).slice(0, -1));
    await expect.poll(() => service.counters.bodyBytes).toBe(20 * 4096);
    expect((await post(service, HOT, CHECK)).status).toBe(200);
    for (const socket of unfinished) socket.destroy();
    await expect.poll(() => service.counters.bodyBytes).toBe(0);
  });

  it("share one budget, and the slowest gives way with 503", async () => {
    service = await startService({ limits: { bodiesBytes: 64 << 10 } });
    const slow = connectTo(service.url);
    slow.write(requestText(service, HOT, TEXT, [CLOSE]).slice(0, -1));
    await expect.poll(() => service.counters.bodyBytes).toBe(4096);
    await setTimeout(50);
    const others = Array.from({ length: 16 }, () => connectTo(service.url));
    const padded = `${" ".repeat(3000)}${TEXT}`;
    for (const socket of others) socket.write(requestText(service, HOT, padded, [CLOSE]).slice(0, -1));
    expect(await readToEnd(slow)).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
    const answers = others.map(readToEnd);
    for (const socket of others) socket.write(padded.slice(-1));
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(service.counters.bodyBytes).toBe(0);
  });
});

describe("a large JSON body", () => {
  it("of more values than the limit is 413, and says which", async () => {
    service = await startService({ limits: { bodyBytes: 2 << 20, jsonValues: 1000 } });
    const answer = await post(service, HOT, `[${"1,".repeat(300_000)}1]`);
    expect([answer.status, answer.body.message]).toEqual([413, "the body has more than 1000 JSON values"]);
  });

  it("is parsed while others are answered", async () => {
    service = await startService({ limits: { bulkBodyBytes: 16 << 20 } });
    const large = post(service, "/access/v1/filter", `{"a":[${"{},".repeat(400_000)}{}]}`);
    let answered = 0;
    let done = false;
    void large.finally(() => {
      done = true;
    });
    while (!done) {
      expect((await post(service, HOT, CHECK)).status).toBe(200);
      answered++;
    }
    expect((await large).status).toBe(400);
    expect(answered).toBeGreaterThan(1);
  });

  it.each(["", "]]", "{"])("that ends with %j instead of its bracket is not JSON", async (end) => {
    service = await startService();
    const answer = await post(service, HOT, `{"a":[${"1,".repeat(150_000)}1${end}}`);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("JSON")]);
  });
});

describe("a connection that sends requests ahead", () => {
  const health = `GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`;

  it("gets all answers in order", async () => {
    service = await startService();
    const socket = connectTo(service.url);
    socket.write(health.repeat(200) + health.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    expect((await readToEnd(socket)).match(/HTTP\/1\.1 200/g)).toHaveLength(201);
  });

  it("is closed where it sends hundreds at once, while others are answered", async () => {
    service = await startService();
    const socket = connectTo(service.url);
    socket.on("error", () => {});
    socket.write(health.repeat(5000));
    const closed = readToEnd(socket).catch(() => {});
    expect((await post(service, HOT, CHECK)).status).toBe(200);
    await closed;
  });
});

describe("the budget", () => {
  const body = (received: number, startedAt = performance.now()) => {
    const one = { received, startedAt, gone: false, giveWay: () => {} };
    one.giveWay = () => {
      one.gone = true;
    };
    return one;
  };

  it("counts what each body holds last, and frees it once", () => {
    const gauge = { bodyBytes: 0 };
    const budget = new BodyBudget(100, gauge);
    const one = body(10);
    budget.hold(one, 40);
    budget.hold(one, 60);
    expect(gauge.bodyBytes).toBe(60);
    budget.release(one);
    budget.release(one);
    expect([gauge.bodyBytes, one.gone]).toEqual([0, false]);
    service = { close: async () => {} } as TestService;
  });

  it("ends the slowest bodies until the others fit", () => {
    const budget = new BodyBudget(100);
    const now = performance.now();
    const [slow, slower, fast] = [body(50, now - 1000), body(10, now - 1000), body(5000, now - 1000)];
    budget.hold(slow, 40);
    budget.hold(slower, 40);
    budget.hold(fast, 90);
    expect([slow.gone, slower.gone, fast.gone]).toEqual([true, true, false]);
    service = { close: async () => {} } as TestService;
  });
});

describe("the budget of thousands of bodies", () => {
  const BODIES = 8_000;
  const LARGE = 50;

  it("takes little for the large pieces that end hundreds of them, the slowest first", () => {
    const budget = new BodyBudget(64 << 20);
    const now = performance.now();
    const ended: number[] = [];
    let looks = 0;
    for (let index = 0; index < BODIES; index++) {
      const received = 4097 + ((index * 7919) % BODIES);
      const small = {
        get received() {
          looks++;
          return received;
        },
        startedAt: now - 1000,
        giveWay: () => void ended.push(received),
      };
      budget.hold(small, 8192);
    }
    const large = { received: 1_000_000, startedAt: now - 1000, giveWay: () => {} };
    for (let index = 0; index < LARGE; index++) budget.hold({ ...large }, 1_000_000);
    // Each large piece ends more than a hundred bodies, and looks at all of them once or twice.
    expect(looks).toBeLessThan(2 * LARGE * BODIES);
    expect(ended.length).toBeGreaterThan(5000);
    expect(ended).toEqual([...ended].sort((a, b) => a - b));
    service = { close: async () => {} } as TestService;
  });
});

describe("lines in pieces of one byte", () => {
  it("are the lines of the whole", () => {
    const text = "first\n\nthird with some more text\nlast";
    const splitter = new LineSplitter();
    const lines = [...Buffer.from(text)].flatMap((byte) => [...splitter.push(Buffer.of(byte), () => 100)]);
    expect([...lines, ...splitter.end(() => 100)]).toEqual(text.split("\n"));
    service = { close: async () => {} } as TestService;
  });
});
