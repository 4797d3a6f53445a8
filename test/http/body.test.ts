import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { post, raw, requestText, startService } from "./service-kit.ts";

const service = await closedAfterAll(startService({ limits: { bodyBytes: 10_000, bulkBodyBytes: 50_000 } }));

const CHECK = {
  user: "alice",
  required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data" },
};
const TEXT = JSON.stringify(CHECK);
const HOT = "/access/v1/check";
const BULK = "/access/v1/simulate";

it("has names of members that are read as they are, whatever another caller sent", async () => {
  const unknownIn = async (name: string) => {
    const { status, body } = await post(service, HOT, `{"not-known-elsewhere":1,"${name}":1}`);
    expect(status).toBe(400);
    return JSON.stringify(body);
  };
  expect(await unknownIn("a\\\\")).toContain("/a\\\\");
  expect(await unknownIn("a\\u00fc")).toContain("/aü");
});

describe("the content type", () => {
  it.each([
    ["application/json", 200],
    ["application/json; charset=utf-8", 200],
    ["Application/JSON;charset=UTF-8", 200],
    ['application/json; charset="utf-8"', 200],
    ["application/json;", 200],
    ["application/json; profile=x", 200],
    ["application/json; charset=latin1", 400],
    ["application/json; nonsense", 400],
    ["application/jsonx", 400],
    ["text/plain", 400],
    ["application/x-www-form-urlencoded", 400],
    ["application/x-ndjson", 400],
  ])("%s gives %d", async (type, status) => {
    const answer = await post(service, HOT, TEXT, { "content-type": type });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.message).toMatch(/^Content-Type must be application\/json/);
  });

  it("that is missing gives 400", async () => {
    const text = await raw(
      service.url,
      requestText(service, HOT, TEXT, ["Connection: close"]).replace(/Content-Type.*\r\n/, ""),
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("a content coding", () => {
  it.each(["gzip", "br", "identity, gzip", "x"])("%s gives 415", async (coding) => {
    const answer = await post(service, HOT, gzipSync(TEXT), { "content-encoding": coding });
    expect(answer.status).toBe(415);
  });

  it("identity is none", async () => {
    expect((await post(service, HOT, TEXT, { "content-encoding": "identity" })).status).toBe(200);
  });
});

describe.each([HOT, BULK])("the body of %s", (path) => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ["empty", "", /a JSON body is needed/],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), /not valid UTF-8/],
    ["overlong UTF-8", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /not valid UTF-8/],
    ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
    ["not JSON", "{topsecret", /invalid symbol at line 1, column 2/],
    ["cut", '{\n"user":\n"topsecret', /at line 3, column 1/],
    ["with something behind", '{"a":"topsecret"} x', /at line 1, column 19/],
    ["a BOM", "\ufeff{}", /at line 1, column 1/],
    ["single quotes", "{'topsecret':1}", /at line 1, column 2/],
    ["a comment", "/* topsecret */{}", /at line 1, column 1/],
    ["a raw control character", '"\u0001"', /not valid JSON/],
    ["nested too deep", `${"[".repeat(33)}${"]".repeat(33)}`, /nested deeper than 32 levels/],
    ["nested without end", "[".repeat(9000), /nested deeper than 32 levels/],
    ["too deep and then faulty", `${"[".repeat(33)}${"]".repeat(33)}]`, /nested deeper than 32 levels/],
    ["deep and wide", `${'{"a":['.repeat(17)}${"]}".repeat(17)}`, /nested deeper than 32 levels/],
    ["an array", "[]", /expected an object/],
    ["a number", "1", /expected an object/],
  ])("that is %s gives 400, says where, and is not echoed", async (_title, body, problem) => {
    const answer = await post(service, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.problems[0].message).toMatch(problem);
    expect(answer.text).not.toContain("topsecret");
  });

  it("may nest as deep as the limit, and hold brackets in strings", async () => {
    const deep = `${"[".repeat(31)}${"]".repeat(31)}`;
    const brackets = "[{".repeat(100);
    const answer = await post(service, path, `{"user":${deep},"x":"${brackets}\\"${brackets}"}`);
    expect(answer.body.problems).toContainEqual({ pointer: "/user", message: "expected a string" });
  });

  const limit = path === HOT ? 10_000 : 50_000;

  it("may have exactly the limit", async () => {
    expect((await post(service, path, TEXT.padEnd(limit))).status).toBe(path === HOT ? 200 : 400);
    expect((await post(service, path, "x".padEnd(limit))).status).toBe(400);
  });

  it("that is larger gives 413, and the connection goes on", async () => {
    const large = requestText(service, path, TEXT.padEnd(limit + 1));
    const next = requestText(service, HOT, TEXT, ["Connection: close"]);
    const text = await raw(service.url, large + next);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    expect(text).toContain(`the body is larger than ${limit} bytes`);
  });

  it("that is larger gives 413 without a Content-Length too", async () => {
    const piece = `${(1000).toString(16)}\r\n${" ".repeat(1000)}\r\n`;
    const head = requestText(service, path, "").replace(/Content-Length: 0/, "Transfer-Encoding: chunked");
    const next = requestText(service, HOT, TEXT, ["Connection: close"]);
    const text = await raw(service.url, `${head}${piece.repeat(limit / 1000 + 5)}0\r\n\r\n${next}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });

  it("may come in pieces", async () => {
    const body = Buffer.from(JSON.stringify({ ...CHECK, user: "日本", policies: [] }));
    const head = requestText(service, path, "", ["Connection: close"]);
    const pieces = [...body].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
    const request = `${head.replace(/Content-Length: 0/, "Transfer-Encoding: chunked")}${pieces}0\r\n\r\n`;
    const text = await raw(service.url, Buffer.from(request, "latin1"));
    expect(text).toMatch(path === HOT ? /"unknown field"/ : /"effect":"neutral"/);
  });
});

describe("a hot body that goes through a stream", () => {
  const PATH = "/access/v1/evaluation?explain=true";
  const body =
    '{"subject":{"type":"user","id":"日本"},"action":{"name":"a:b"},"resource":{"type":"arn","id":"x"}}';
  const chunked = (bytes: Buffer, size: number) => {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const head = requestText(service, PATH, "", ["Connection: close"]);
    return Buffer.concat([
      Buffer.from(head.replace(/Content-Length: 0/, "Transfer-Encoding: chunked")),
      ...pieces.map((piece) =>
        Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
      ),
      Buffer.from("0\r\n\r\n"),
    ]);
  };

  it("may come in pieces", async () => {
    expect(await raw(service.url, chunked(Buffer.from(body), 1))).toMatch(
      /^HTTP\/1\.1 200 .*"unknown_subject"/s,
    );
  });

  it("gives 413 when it is larger than the limit", async () => {
    const text = await raw(service.url, chunked(Buffer.from(body.padEnd(20_000)), 1000));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413"]);
  });
});

describe("Expect: 100-continue", () => {
  it("is answered before the body is sent", async () => {
    const [head, body] = requestText(service, HOT, TEXT, ["Expect: 100-continue"]).split("\r\n\r\n");
    const text = await raw(service.url, `${head}\r\n\r\n`, /100 Continue\r\n\r\n$/);
    expect(text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    expect(await raw(service.url, `${head}\r\n\r\n${body}`, /effect/)).toMatch(
      /100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    );
  });

  it.each([HOT, BULK])(
    "of a body that is too large for %s is refused at once, and the connection closed",
    async (path) => {
      const [head] = requestText(service, path, " ".repeat(60_000), ["Expect: 100-continue"]).split(
        "\r\n\r\n",
      );
      const text = await raw(service.url, `${head}\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text).toContain("Connection: close");
    },
  );

  it("of a caller without token is refused at once", async () => {
    const [head] = requestText({ token: "x" }, HOT, TEXT, ["Expect: 100-continue"]).split("\r\n\r\n");
    expect(await raw(service.url, `${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("with another expectation gives 417", async () => {
    expect(await raw(service.url, requestText(service, HOT, TEXT, ["Expect: wonders"]))).toMatch(
      /^HTTP\/1\.1 417 /,
    );
  });
});
