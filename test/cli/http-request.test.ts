/** Requests of both programs on the wire: redirections, compressed answers, limits. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { type ApiRequest, httpRequest } from "@svc-authorizer/commands/rest-client/http-request.ts";
import { expect, it, onTestFinished } from "vitest";

interface Asked {
  readonly line: string;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}

/** Answers in the way of the test, and keeps what was asked. */
async function server(answer: (url: string, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const listening = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    asked.push({ line: `${method} ${url}`, body: await text(request), headers });
    answer(url, response);
  }).listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return { asked, url: `http://127.0.0.1:${(listening.address() as { port: number }).port}` };
}

const send = (url: string, more: Partial<ApiRequest> = {}) =>
  httpRequest(
    { method: "GET", url, headers: { authorization: "Basic secret", "x-kept": "yes" }, ...more },
    AbortSignal.timeout(60_000),
  );

const redirecting = (location: () => string, status = 302) =>
  server((url, response) => {
    if (url === "/there") return void response.end("arrived");
    response.writeHead(status, { location: location() }).end();
  });

it("a redirection to another server is followed without the credentials", async () => {
  const other = await server((_, response) => void response.end("arrived"));
  const { url } = await redirecting(() => `${other.url}/there`);
  expect(await send(`${url}/here`)).toMatchObject({ status: 200, text: "arrived" });
  expect(other.asked[0]?.headers).toMatchObject({ "x-kept": "yes" });
  expect(other.asked[0]?.headers.authorization).toBeUndefined();
});

it("a redirection on the same server is followed with the credentials", async () => {
  const { url, asked } = await redirecting(() => "/there");
  await send(`${url}/here`);
  expect(asked.map(({ line }) => line)).toEqual(["GET /here", "GET /there"]);
  expect(asked[1]?.headers.authorization).toBe("Basic secret");
});

it.each([
  [301, "GET /there", ""],
  [302, "GET /there", ""],
  [303, "GET /there", ""],
  [307, "POST /there", "{}"],
  [308, "POST /there", "{}"],
])("a POST that is redirected with %d becomes %s", async (status, line, body) => {
  const { url, asked } = await redirecting(() => "/there", status);
  const headers = { "content-type": "application/json" };
  await send(`${url}/here`, { method: "POST", body: "{}", headers });
  expect(asked[1]).toMatchObject({ line, body });
  expect(asked[1]?.headers["content-type"]).toBe(body === "" ? undefined : "application/json");
});

it("a redirection is refused where the request says so, and where it never ends", async () => {
  const { url, asked } = await redirecting(() => "/again");
  await expect(send(`${url}/here`, { redirect: "error" })).rejects.toThrow("unexpected redirect");
  expect(asked).toHaveLength(1);
  await expect(send(`${url}/here`)).rejects.toThrow("redirect count exceeded");
  expect(asked).toHaveLength(22);
});

it.each(["POST", "PUT", "PATCH", "DELETE"])("the body of a %s arrives", async (method) => {
  const { url, asked } = await server((_, response) => void response.end());
  await send(url, { method, body: '{"a":"é"}' });
  expect(asked).toMatchObject([{ line: `${method} /`, body: '{"a":"é"}' }]);
});

it("an answer may be compressed, and a damaged one fails", async () => {
  const { url } = await server((path, response) => {
    const whole = gzipSync("x".repeat(100_000));
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(path === "/whole" ? whole : whole.subarray(0, 50));
  });
  expect((await send(`${url}/whole`)).text).toHaveLength(100_000);
  await expect(send(`${url}/cut`)).rejects.toThrow("unexpected end of file");
});

it("an answer that grows too large when it is unpacked is refused", async () => {
  const { url } = await server((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(65 * 1024 * 1024)));
  });
  await expect(send(url)).rejects.toThrow("the answer is too large");
});

it.each([
  ["ftp://127.0.0.1/", "unknown scheme"],
  ["http://ada:secret@127.0.0.1/", "the URL must not hold a user or a password"],
])("%s is refused", async (url, message) => {
  await expect(send(url)).rejects.toThrow(message);
});
