/** Callers who open connections and hold them, and a client who comes new all the while. */

import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Target } from "./hostile-calls.ts";

/** A flood of connections that send the same. */
export interface Flood {
  readonly name: string;
  readonly listener: "service" | "user" | "extAuthz";
  readonly text: string;
  /** Times that each connection sends it, a while after another; default 1. */
  readonly rounds?: number;
  /** True if the connections are reset in the end; default: they are closed. */
  readonly isReset?: boolean;
}

const HEAD = `Host: a\r\nX-Padding: ${"x".repeat(300)}`;

/** The beginning of a connection of HTTP/2, with empty settings. */
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/** Floods without a credential. */
export const FLOODS: readonly Flood[] = [
  {
    name: "documents that nobody reads",
    listener: "user",
    text: `GET /openapi.json HTTP/1.1\r\n${HEAD}\r\n\r\n`.repeat(64),
  },
  ...(["user", "service"] as const).flatMap((listener): Flood[] => [
    { name: `silence, on the ${listener} listener`, listener, text: "" },
    {
      name: `half a request, on the ${listener} listener`,
      listener,
      text: "GET /openapi.json HTTP/1.1\r\nHo",
    },
    {
      name: `half a request and a reset, on the ${listener} listener`,
      listener,
      text: "GET /openapi.json HTTP/1.1\r\nHo",
      isReset: true,
    },
  ]),
  {
    name: "documents that nobody reads, on the service listener",
    listener: "service",
    text: `GET /openapi.json HTTP/1.1\r\n${HEAD}\r\n\r\n`.repeat(64),
  },
  { name: "silence, over gRPC", listener: "extAuthz", text: "" },
  { name: "half a preface, over gRPC", listener: "extAuthz", text: "PRI * HTTP/2.0\r\n" },
  { name: "a connection without a call, over gRPC", listener: "extAuthz", text: PREFACE },
  {
    name: "pages that nobody reads",
    listener: "user",
    text: `GET /help/ HTTP/1.1\r\nAccept-Encoding: br\r\n${HEAD}\r\n\r\n`.repeat(16),
  },
  {
    name: "one document after the other that nobody reads",
    listener: "user",
    text: `GET /openapi.json HTTP/1.1\r\n${HEAD}\r\n\r\n`,
    rounds: 12,
  },
  {
    name: "bodies of log-ins that do not come",
    listener: "user",
    text: `POST /api/v1/auth/login HTTP/1.1\r\n${HEAD}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{`,
  },
];

const AT_ONCE = 200;
const NEW_CLIENT_MS = 1_000;
const ROUND_MS = 50;

/** The result of a flood. */
interface FloodResult {
  /** Connections that were tried. */
  readonly tried: number;
  /** Longest wait of a client who came new, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Opens connections, sends, and never reads; meanwhile asks for a decision on a new connection again and again.
 * @param connections in all
 * @param ask asks on a new connection; rejects where it is refused
 */
export async function flood(
  { program }: Target,
  { listener, text, rounds = 1, isReset = false }: Flood,
  connections: number,
  ask: () => Promise<unknown>,
): Promise<FloodResult> {
  const { hostname, port } = new URL(program[listener] ?? "");
  const sockets: Socket[] = [];
  let longestMs = 0;
  const askNew = async (): Promise<void> => {
    const began = performance.now();
    await ask();
    longestMs = Math.max(longestMs, performance.now() - began);
  };
  try {
    for (let opened = 0; opened < connections; opened += AT_ONCE) {
      for (let n = 0; n < AT_ONCE; n++) {
        const socket = connect(Number(port), hostname);
        socket.on("error", () => {}).pause();
        if (text !== "") socket.write(text);
        sockets.push(socket);
      }
      await askNew();
    }
    for (let round = 1; round < rounds; round++) {
      for (const socket of sockets) if (!socket.destroyed) socket.write(text);
      await askNew();
      await setTimeout(ROUND_MS);
    }
    for (const end = performance.now() + NEW_CLIENT_MS; performance.now() < end; ) {
      await askNew();
      await setTimeout(20);
    }
    return { tried: sockets.length, longestMs };
  } finally {
    for (const socket of sockets) {
      if (isReset) socket.resetAndDestroy();
      else socket.destroy();
    }
  }
}
