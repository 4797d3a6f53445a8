/**
 * Uploads whose body is signed in chunks, through the streaming listener of the exchange: processor time of the service for
 * each GiB (at most 2 s), and the memory that sixteen uploads at once take (at most 150 MB).
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { Readable } from "node:stream";
import { startAuthorizer, write } from "./authorizer.ts";
import { median } from "./compare.ts";
import { startServer } from "./processes.ts";

const AT_ONCE = 16;
/** Further rounds of as many: the first GiB is partly code that nothing has made warm. */
const ROUNDS = 3;
const MIB = 1 << 20;
const UPLOAD_MIB = 64;
/** Bytes of a chunk, as AWS's client for Java sends them. */
const CHUNK = 128 << 10;
const KEY = "AKIAJUPLOADERUPLOADQ";
const TOKEN = randomBytes(24).toString("hex");
const SCOPE = ["us-east-1", "s3", "aws4_request"];

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** A signed request with its body. */
interface Signed {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
}

/** One upload, which can be sent again and again. */
function signedUpload(secret: string, host: string): Signed {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = [stamp.slice(0, 8), ...SCOPE];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const path = "/data/main/upload";
  const named: Record<string, string> = {
    host,
    "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    "x-amz-date": stamp,
    "x-amz-decoded-content-length": String(UPLOAD_MIB * MIB),
  };
  const names = Object.keys(named).join(";");
  const lines = Object.entries(named).map(([name, value]) => `${name}:${value}`);
  const canonical = ["PUT", path, "", ...lines, "", names, named["x-amz-content-sha256"]].join("\n");
  const when = `${stamp}\n${scope.join("/")}`;
  let last = hmac(key, `AWS4-HMAC-SHA256\n${when}\n${sha256(canonical)}`).toString("hex");
  const credential = `Credential=${KEY}/${scope.join("/")}, SignedHeaders=${names}, Signature=${last}`;
  const pieces: Buffer[] = [];
  const data = randomBytes(CHUNK);
  for (let left = (UPLOAD_MIB * MIB) / CHUNK; left >= 0; left--) {
    const chunk = left > 0 ? data : Buffer.alloc(0);
    const text = `AWS4-HMAC-SHA256-PAYLOAD\n${when}\n${last}\n${sha256("")}\n${sha256(chunk)}`;
    last = hmac(key, text).toString("hex");
    pieces.push(
      Buffer.from(`${chunk.length.toString(16)};chunk-signature=${last}\r\n`),
      chunk,
      Buffer.from("\r\n"),
    );
  }
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const authorization = `AWS4-HMAC-SHA256 ${credential}`;
  const headers = { ...named, authorization, "content-length": String(length), "x-svc-proxy-token": TOKEN };
  return { path, headers, pieces };
}

async function send(port: number, { path, headers, pieces }: Signed): Promise<void> {
  const sent = httpRequest({ host: "127.0.0.1", port, method: "PUT", path, headers, setHost: false });
  const answered = once(sent, "response");
  Readable.from(pieces, { objectMode: true, highWaterMark: 4 }).pipe(sent);
  const [answer] = (await answered) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  if (answer.statusCode !== 200) throw new Error(`an upload ended with ${answer.statusCode}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Measures, and prints both figures. */
export async function measureStreaming(): Promise<void> {
  const secret = randomBytes(30).toString("base64");
  const [port, upstream] = [await freePort(), await freePort()];
  const policies = [{ name: "OwnData", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] }];
  const credentials = [{ access_key_id: KEY, secret_access_key: secret }];
  const users = [{ username: "uploader", policies: ["OwnData"], credentials }];
  const data = write("streaming.json", JSON.stringify({ format: 1, policies, users }));
  const sink = await startServer([new URL("servers/sink.ts", import.meta.url).pathname, String(upstream)]);
  const service = await startAuthorizer(data, {
    flags: [
      ...["--authorizer.forward_auth.proxy", "nginx", "--authorizer.forward_auth.proxy_token", TOKEN],
      ...["--authorizer.exchange.access_key_id", "AKIAJTHEONEKEYTHEONQ"],
      ...["--authorizer.exchange.secret_access_key", randomBytes(30).toString("base64")],
      ...["--authorizer.exchange.streaming_address", `127.0.0.1:${port}`],
      ...["--authorizer.exchange.upstream", `http://127.0.0.1:${upstream}`],
    ],
  });
  const upload = signedUpload(secret, "s3.example.com");
  await send(port, upload);
  const memory = service.rss();
  let anonymous = 0;
  const watch = setInterval(() => {
    anonymous = Math.max(anonymous, service.anonymous());
  }, 10);
  const gib = (AT_ONCE * UPLOAD_MIB) / 1024;
  const seconds: number[] = [];
  const began = performance.now();
  for (let round = 0; round <= ROUNDS; round++) {
    const cpu = service.cpu();
    await Promise.all(Array.from({ length: AT_ONCE }, () => send(port, upload)));
    seconds.push((service.cpu() - cpu) / gib);
  }
  clearInterval(watch);
  const [first, ...warm] = seconds;
  const rate = Math.round((gib * 1024 * seconds.length) / ((performance.now() - began) / 1000));
  const grown = Math.max(0, service.peak() - memory);
  const each = `${median(warm).toFixed(2)} s of CPU time for each GiB, ${first?.toFixed(2)} s for the first`;
  console.log(`uploads signed in chunks: ${each}, ${rate} MiB/s`);
  const [more, own, resident] = [grown, anonymous, service.peak()].map((mib) => Math.round(mib * 1.048576));
  console.log(
    `${AT_ONCE} uploads at once: ${more} MB more, ${own} MB of anonymous memory, ${resident} MB resident`,
  );
  await Promise.all([service.stop(), sink.stop()]);
}
