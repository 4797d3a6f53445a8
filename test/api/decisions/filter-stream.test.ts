import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService, type TestService } from "../../http/service-kit.ts";
import { makeToken, serviceClaims } from "../../identity/tokens.ts";

const service = await closedAfterAll(startService());

const TOKEN = "a-token-of-this-test-0123456789-0123456789";
const PATH = "/access/v1/filter";
const NDJSON = { "content-type": "application/x-ndjson" };
const HEAD = { user: "alice", action: "fs:ReadObject" };
const object = (name: string) => `arn:svc:fs:::repository/data/object/${name}`;

function lines(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

async function filter(...values: unknown[]) {
  const body = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");
  const answer = await post(service, PATH, body, NDJSON);
  return { ...answer, lines: answer.status === 200 ? lines(answer.text) : [] };
}

const item = (text: string) => JSON.stringify(text);

/** A request whose body is written by the test. */
function open(of: TestService = service): ClientRequest {
  const sent = request(of.url + PATH, {
    method: "POST",
    headers: { ...NDJSON, authorization: `Bearer ${of.token}` },
  });
  sent.on("error", () => {});
  return sent;
}

async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

describe("a streamed filter", () => {
  it("takes a short line in each piece, and ends one of single bytes", async () => {
    const written = async (piece: string, times: number): Promise<[number | undefined, string]> => {
      const sent = open();
      const answered = answerTo(sent);
      sent.write(`${JSON.stringify(HEAD)}\n`);
      for (let index = 0; index < times; index++) sent.write(piece);
      sent.end();
      const answer = await answered;
      let text = "";
      for await (const part of answer.setEncoding("utf8")) text += part;
      return [answer.statusCode, text.trim().split("\n").at(-1) ?? ""];
    };
    expect(await written('"a"\n', 3000)).toEqual([200, '{"complete":true,"items":3000,"allowed":0}']);
    const [, last] = await written(" ", 3000);
    expect(last).toContain("too many pieces of a few bytes");
  });

  it("answers a line per allowed item and tells the end", async () => {
    const answer = await filter(HEAD, item(object("a")), item(object("secret")), item(object("b")));
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    expect(answer.lines).toEqual([{ index: 0 }, { index: 2 }, { complete: true, items: 3, allowed: 2 }]);
  });

  it("takes ids of a type, blank lines, CRLF and a missing last newline", async () => {
    const answer = await filter(
      `${JSON.stringify({ ...HEAD, action: "read", type: "repository" })}\r`,
      "",
      `${item("open")}\r`,
      " ",
      item("closed"),
      item("data"),
    );
    expect(answer.lines).toEqual([{ index: 0 }, { index: 2 }, { complete: true, items: 3, allowed: 2 }]);
  });

  it("marks a faulty item and goes on", async () => {
    const answer = await filter(
      { ...HEAD, action: "read", type: "repository" },
      item("open"),
      item(""),
      "7",
      item("data"),
    );
    expect(answer.lines).toEqual([
      { index: 0 },
      { index: 1, error: { status: 400, message: expect.any(String) } },
      { index: 2, error: { status: 400, message: "expected a string" } },
      { index: 3 },
      { complete: true, items: 4, allowed: 2 },
    ]);
  });

  it("answers what it can before a line that is no JSON, and is not complete", async () => {
    const answer = await filter(HEAD, item(object("a")), "{", item(object("b")));
    expect(answer.lines).toEqual([
      { index: 0 },
      { complete: false, error: { status: 400, message: expect.stringMatching(/^line 3: not valid JSON/) } },
    ]);
  });

  it("is not complete after a line that is too long, in pieces or as a whole", async () => {
    for (const length of [5000 * 6, 200_000]) {
      const answer = await filter(HEAD, item(object("a")), item("x".repeat(length)));
      expect(answer.lines.at(-1)).toEqual({
        complete: false,
        error: { status: 400, message: expect.stringMatching(/^line 3: longer than/) },
      });
    }
  });

  it.each<[string, string]>([
    ["no line", ""],
    ["blank lines", "\n\n"],
    ["a first line that is no JSON", "x\n"],
    ["a first line without an action", '{"user":"alice"}\n"a"'],
    ["an unknown field", '{"user":"alice","action":"a","resources":[]}\n'],
    ["a first line that is an item", '"arn"\n"arn"'],
  ])("with %s is 400 before anything is answered", async (_title, body) => {
    const answer = await post(service, PATH, body, NDJSON);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual(expect.any(String));
  });

  it("is not for other routes", async () => {
    expect((await post(service, "/access/v1/simulate", "{}", NDJSON)).status).toBe(400);
    expect((await post(service, "/access/v1/check", "{}", NDJSON)).status).toBe(400);
  });

  it("answers while the caller still sends", async () => {
    const sent = open();
    sent.write(`${JSON.stringify(HEAD)}\n`);
    const response = await answerTo(sent);
    const pieces = response[Symbol.asyncIterator]();
    for (let index = 0; index < 3; index++) {
      // A line cut in two arrives as one item.
      const line = `${item(object(String(index)))}\n`;
      sent.write(line.slice(0, 10));
      await setTimeout(5);
      sent.write(line.slice(10));
      expect(String((await pieces.next()).value)).toBe(`{"index":${index}}\n`);
    }
    sent.end();
    expect(lines(String((await pieces.next()).value))).toEqual([{ complete: true, items: 3, allowed: 3 }]);
  });

  it("waits for a caller who does not read, in constant memory", async () => {
    const sent = open();
    const chunk = `${item(object("a"))}\n`.repeat(2000);
    sent.write(`${JSON.stringify(HEAD)}\n`);
    const response = await answerTo(sent);
    response.pause();
    let accepted = 0;
    let blocked = false;
    while (!blocked && accepted < 2000) {
      accepted++;
      if (!sent.write(chunk)) {
        blocked = await Promise.race([once(sent, "drain").then(() => false), setTimeout(300, true)]);
      }
    }
    expect(blocked).toBe(true);
    response.resume();
    sent.end();
    let text = "";
    for await (const piece of response) text = (text + piece).slice(-200);
    expect(lines(text.slice(text.indexOf("\n") + 1)).at(-1)).toEqual({
      complete: true,
      items: accepted * 2000,
      allowed: accepted * 2000,
    });
  });

  it("ends without noise when the caller goes away", async () => {
    const sent = open();
    sent.write(`${JSON.stringify(HEAD)}\n${item(object("a"))}\n`);
    await answerTo(sent);
    sent.destroy();
    await expect.poll(() => service.counters.inFlight).toBe(0);
    expect(service.log.failures).toEqual([]);
  });

  it("lasts longer than a request may, as long as it moves, and is cut when it does not", async () => {
    const brief = await startService({ limits: { requestTimeoutMs: 1_000 } });
    const sent = open(brief);
    sent.write(`${JSON.stringify(HEAD)}\n`);
    const response = await answerTo(sent);
    const cut = once(response, "error");
    response.resume();
    const began = performance.now();
    for (let index = 0; index < 8; index++) {
      await setTimeout(250);
      sent.write(`${item(object("a"))}\n`);
    }
    expect(response.destroyed).toBe(false);
    await cut;
    expect(performance.now() - began).toBeGreaterThan(2_000);
    await brief.close();
  });

  it("answers nothing more once the token that began it is over", async () => {
    const secretKey = "a-key-of-this-test-alone-0123456789-0123456789";
    const ending = await startService({ bearer: { secretKey } });
    const exp = Math.floor(Date.now() / 1_000) + 60;
    const token = makeToken({ claims: { ...serviceClaims(Date.now()), exp }, key: secretKey });
    const sent = open({ ...ending, token });
    sent.write(`${JSON.stringify(HEAD)}\n${item(object("a"))}\n`);
    const response = await answerTo(sent);
    const [first] = (await once(response.setEncoding("utf8"), "data")) as [string];
    expect(lines(first)).toEqual([{ index: 0 }]);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(exp * 1_000);
    sent.end(item(object("b")));
    let rest = "";
    for await (const part of response) rest += part;
    vi.useRealTimers();
    expect(lines(rest)).toMatchObject([{ complete: false, error: { status: 401 } }]);
    await ending.close();
  });

  it.each([
    ["is no longer configured", "another-token-0123456789-0123456789", ["decide"], 401],
    ["may decide no longer", TOKEN, ["read"], 403],
  ] as const)("answers nothing more once the token that began it %s", async (_, token, scopes, status) => {
    const configured = await startService({
      bearer: { tokens: [{ name: "x", token: TOKEN, scopes: ["decide"] }] },
    });
    const sent = open({ ...configured, token: TOKEN });
    sent.write(`${JSON.stringify(HEAD)}\n${item(object("a"))}\n`);
    const response = await answerTo(sent);
    const [first] = (await once(response.setEncoding("utf8"), "data")) as [string];
    expect(lines(first)).toEqual([{ index: 0 }]);
    configured.listener.replaceTokens({ tokens: [{ name: "x", token, scopes }] });
    sent.end(item(object("b")));
    let rest = "";
    for await (const part of response) rest += part;
    expect(lines(rest)).toMatchObject([{ complete: false, error: { status } }]);
    await configured.close();
  });
});
