import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RequestHeaders } from "../../../src/api/forward-auth/request-headers.ts";

const server = createServer({ requireHostHeader: false });
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

/** The request as `node:http` received it. */
async function received(sent: readonly (readonly [string, string])[]): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const arrives = once(server, "request");
  const socket = connect(port, "127.0.0.1");
  const lines = sent.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`GET / HTTP/1.1\r\n${lines}\r\n`, "latin1");
  const [request, response] = await arrives;
  response.end();
  socket.resume();
  await once(socket, "close");
  return request;
}

const spelled = (name: string) => fc.mixedCase(fc.constant(name));
/** Among them those that `node:http` joins, drops when repeated, or reads as a list, and members of every object. */
const name = fc
  .constantFrom(
    ..."host,authorization,cookie,set-cookie,user-agent,x-amz-date,x-amz-meta-a,accept,from,x-a,7".split(","),
    ..."constructor,__proto__,valueof,tostring,hasownproperty".split(","),
  )
  .chain(spelled);
const value = fc
  .string({ unit: fc.constantFrom(..."ab=;, \u00e4"), maxLength: 6 })
  .map((text) => text.trim());
const asked = ["content-length", "connection", "toString", "hasOwnProperty", "valueOf", "absent"];

describe("the headers of a subrequest", () => {
  it("are the same whether they are read anew or as node:http read them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), async (sent) => {
        const { rawHeaders, headers } = await received(sent);
        const quick = new RequestHeaders(rawHeaders, headers);
        const plain = new RequestHeaders(rawHeaders);
        expect(new Set(quick.keys())).toEqual(new Set(sent.map(([one]) => one.toLowerCase())));
        expect(quick.repeated).toEqual(plain.repeated);
        for (const one of [...sent.map(([any]) => any.toLowerCase()), ...asked]) {
          expect(quick.get(one)).toBe(plain.get(one));
          expect(quick.single(one)).toBe(plain.single(one));
          expect(quick.has(one)).toBe(plain.get(one) !== undefined);
        }
      }),
    );
  });

  it("that came more than once are told, with all their values", () => {
    const headers = new RequestHeaders([
      "X-A",
      "1",
      "cookie",
      "a=1",
      "x-a",
      "2",
      "Cookie",
      "b=2",
      "Host",
      "h",
    ]);
    expect(headers.repeated).toEqual(new Set(["x-a", "cookie"]));
    expect([headers.get("x-a"), headers.get("cookie")]).toEqual(["1,2", "a=1; b=2"]);
    expect([headers.single("x-a"), headers.single("host")]).toEqual([undefined, "h"]);
  });

  it.each([
    {
      what: "another host and length",
      sent: ["Host", "proxy", "Content-Length", "0", "X-A", "1"],
      length: "7",
    },
    { what: "a length that the subrequest lost", sent: ["Host", "proxy", "X-A", "1"], length: "7" },
    { what: "no length", sent: ["Host", "proxy", "Content-Length", "0", "X-A", "1"], length: undefined },
    { what: "neither", sent: ["Host", "proxy", "X-A", "1"], length: undefined },
  ])("are restored for a client that sent $what", ({ sent, length }) => {
    const restored = new RequestHeaders(sent).restored({ host: "client", contentLength: length });
    const all = [...restored.keys()].map((one) => [one, restored.get(one)]);
    const expected = { host: "client", "x-a": "1", ...(length && { "content-length": length }) };
    expect(Object.fromEntries(all)).toEqual(expected);
    expect(all).toHaveLength(Object.keys(expected).length);
    expect([restored.has("content-length"), restored.get("content-length")]).toEqual([
      length !== undefined,
      length,
    ]);
  });
});
