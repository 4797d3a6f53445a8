/**
 * Load on one HTTP endpoint from raw sockets, cheap enough to keep a server of one core busy: keep-alive connections,
 * each with one request under way. Runs as a child process; takes its job as JSON in the first argument and prints
 * the result as JSON.
 */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** The requests of a load. */
export interface LoadJob {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  /** File with one JSON body a line; they are used in turn. "" where the method is GET. */
  readonly bodies: string;
  /** File with a JSON list of whole requests, used in turn instead of path, token and bodies. */
  readonly requests?: string;
  /** Default POST. */
  readonly method?: "GET";
  readonly connections: number;
  readonly seconds: number;
  /** True: nothing is sent before all connections are open, which is told by a line of its own. */
  readonly connectsFirst?: boolean;
  /** A text that each answer's body must contain, so that nothing wrong is measured. */
  readonly expect: string;
}

/** The result of a load; times in milliseconds. */
export interface LoadResult {
  /** Requests that were sent; all of them were answered. */
  readonly answers: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

function requestsOf(job: LoadJob): Buffer[] {
  if (job.requests !== undefined) {
    return (JSON.parse(readFileSync(job.requests, "utf8")) as string[]).map((text) => Buffer.from(text));
  }
  const { host } = new URL(job.url);
  if (job.method === "GET") {
    const head = `GET ${job.path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${job.token}\r\n\r\n`;
    return [Buffer.from(head)];
  }
  return readFileSync(job.bodies, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((body) =>
      Buffer.from(
        `POST ${job.path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${job.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    );
}

/** The line that says that all connections are open. */
export const CONNECTED = "connected";

const LENGTH = "Content-Length: ";

/** Bytes of the body that follows a head; an answer of 204 has none. Throws for a failure. */
function lengthOf(head: string): number {
  const status = head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
  if (status === "204") return 0;
  const at = head.toLowerCase().indexOf(LENGTH.toLowerCase());
  if (at < 0 || (status !== "200" && status !== "201")) throw new Error(`unexpected answer: ${head}`);
  return Number.parseInt(head.slice(at + LENGTH.length), 10);
}

/** Calls `answered` with each whole answer that arrives. */
function readAnswers(socket: Socket, answered: (body: string) => void): void {
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = pending.toString("latin1", 0, end);
      const length = lengthOf(head);
      if (pending.length < end + 4 + length) return;
      const body = pending.toString("latin1", end + 4, end + 4 + length);
      pending = pending.subarray(end + 4 + length);
      answered(body);
    }
  });
}

function run(job: LoadJob): Promise<LoadResult> {
  const requests = requestsOf(job);
  const { hostname, port, protocol } = new URL(job.url);
  const isTls = protocol === "https:";
  const times: number[] = [];
  let next = 0;
  let start = performance.now();
  let end = start + job.seconds * 1000;
  const missing = job.connectsFirst === true ? job.connections : 0;
  const waiting: (() => void)[] = [];
  const begin = (): void => {
    console.log(CONNECTED);
    start = performance.now();
    end = start + job.seconds * 1000;
    for (const send of waiting) send();
  };
  const lanes = Array.from(
    { length: job.connections },
    () =>
      new Promise<void>((resolve, reject) => {
        // The certificate is made for the run, and nothing is measured of who checks it.
        const socket = isTls
          ? connectTls({ port: Number(port), host: hostname, rejectUnauthorized: false })
          : connect(Number(port), hostname);
        socket.setNoDelay(true);
        let sent = 0;
        const send = (): void => {
          sent = performance.now();
          socket.write(requests[next++ % requests.length] as Buffer);
        };
        socket.on(isTls ? "secureConnect" : "connect", () => {
          if (missing === 0) send();
          else if (waiting.push(send) === missing) begin();
        });
        socket.on("error", reject);
        readAnswers(socket, (body) => {
          if (!body.includes(job.expect)) throw new Error(`unexpected body: ${body.slice(0, 300)}`);
          const now = performance.now();
          times.push(now - sent);
          if (now < end) send();
          else {
            socket.destroy();
            resolve();
          }
        });
      }),
  );
  return Promise.all(lanes).then(() => {
    const seconds = (performance.now() - start) / 1000;
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] as number;
    return { answers: times.length, perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
  });
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await run(JSON.parse(process.argv[2] as string) as LoadJob)));
}
