/** A collector of OpenTelemetry: takes OTLP over HTTP, and reads the spans from the bytes. */

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it was exported. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** "" for the root of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server. */
  readonly kind: number;
  readonly milliseconds: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  readonly headers: IncomingHttpHeaders[];
  /** Everything that came, as text. */
  text(): string;
  /** The way in which it treats requests; default "take". */
  mode: "take" | "refuse" | "hang";
  requests: number;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const collector = { mode: "take", requests: 0 } as Collector;
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      collector.requests++;
      if (collector.mode === "hang") return;
      if (collector.mode === "refuse" || request.url !== "/v1/traces") {
        response.writeHead(400).end();
        return;
      }
      const body = Buffer.concat(pieces);
      bodies.push(body);
      headers.push(request.headers);
      spans.push(...readExport(body));
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(collector, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    text: () => Buffer.concat(bodies).toString("latin1"),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** The fields of one message of Protocol Buffers. */
function fields(bytes: Buffer): Fields {
  const found = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = Number(tag & 7n);
    let value: bigint | Buffer;
    if (kind === 0) value = varint();
    else {
      const size = kind === 2 ? Number(varint()) : kind === 1 ? 8 : 4;
      value = bytes.subarray(at, at + size);
      at += size;
    }
    const number = Number(tag >> 3n);
    found.set(number, [...(found.get(number) ?? []), value]);
  }
  return found;
}

const all = (message: Fields, number: number): Buffer[] => (message.get(number) ?? []) as Buffer[];
const one = (message: Fields, number: number): Buffer => all(message, number)[0] ?? Buffer.alloc(0);
const whole = (message: Fields, number: number): number => Number((message.get(number) ?? [0n])[0]);

/** `opentelemetry/proto/collector/trace/v1`, as far as the tests look at it. */
function readExport(body: Buffer): ReceivedSpan[] {
  return all(fields(body), 1).flatMap((bytes) => {
    const ofResource = fields(bytes);
    const resource = attributesOf(all(fields(one(ofResource, 1)), 1));
    return all(ofResource, 2).flatMap((scope) =>
      all(fields(scope), 2).map((span) => readSpan(fields(span), resource)),
    );
  });
}

function readSpan(span: Fields, resource: Readonly<Record<string, unknown>>): ReceivedSpan {
  return {
    traceId: one(span, 1).toString("hex"),
    spanId: one(span, 2).toString("hex"),
    parentId: one(span, 4).toString("hex"),
    name: one(span, 5).toString("utf8"),
    kind: whole(span, 6),
    milliseconds: Number(one(span, 8).readBigUInt64LE() - one(span, 7).readBigUInt64LE()) / 1e6,
    attributes: attributesOf(all(span, 9)),
    status: whole(fields(one(span, 15)), 3),
    resource,
  };
}

function attributesOf(entries: readonly Buffer[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map((bytes) => {
      const entry = fields(bytes);
      return [one(entry, 1).toString("utf8"), readValue(fields(one(entry, 2)))];
    }),
  );
}

function readValue(value: Fields): unknown {
  if (value.has(1)) return one(value, 1).toString("utf8");
  if (value.has(2)) return whole(value, 2) === 1;
  if (value.has(3)) return whole(value, 3);
  if (value.has(4)) return one(value, 4).readDoubleLE();
  return all(fields(one(value, 5)), 1).map((item) => readValue(fields(item)));
}
