/**
 * The connections of the gRPC listener (spec/security §2.12, spec/security §5.3). Only trusted peers get one; one that is silent, or
 * sends no whole call in time, ends; so does a call that does not arrive whole.
 */

import type { Socket } from "node:net";
import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";
import type { ListenerPlaces, TrustedPeers } from "../http/server/connection-places.ts";

/** Time in which a connection must send its first byte, in milliseconds. */
const SILENT_MS = 10_000;
const CHECK_MS = 1_000;

/** A connection without a whole call. */
interface Waiting {
  readonly socket: Socket;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
  /** Time of its first byte, as far as it was noticed. */
  firstByteAt: number | undefined;
}

/** Options of {@link GrpcConnections}. */
interface GrpcConnectionsOptions {
  readonly trusted: TrustedPeers;
  /** Absent: connections are not bounded. */
  readonly places: ListenerPlaces | undefined;
  /** Time in which a call must arrive whole, in milliseconds. */
  readonly requestTimeoutMs: number;
}

/** Knows the connections on which no call has arrived yet. */
export class GrpcConnections {
  readonly #options: GrpcConnectionsOptions;
  /** By address and port of the peer, as gRPC names it. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: GrpcConnectionsOptions) {
    this.#options = options;
    const interval = Math.min(CHECK_MS, Math.max(10, options.requestTimeoutMs / 4));
    this.#timer = setInterval(() => this.#check(performance.now()), interval).unref();
  }

  /** Takes a place for a connection that was just accepted; false if its peer is not trusted, or there is none. */
  readonly admits = (socket: Socket): boolean => {
    const { trusted, places } = this.#options;
    return trusted.has(socket.remoteAddress) && places?.take(socket) !== false;
  };

  /** Begins to wait for the first call of a connection. */
  wait(socket: Socket): void {
    const peer = peerOf(socket);
    this.#waiting.set(peer, { socket, since: performance.now(), firstByteAt: undefined });
    socket.once("close", () => {
      if (this.#waiting.get(peer)?.socket === socket) this.#waiting.delete(peer);
    });
  }

  /** Notes that a call arrived whole. */
  called(peer: string): void {
    const waiting = this.#waiting.get(peer);
    if (waiting === undefined) return;
    this.#waiting.delete(peer);
    this.#options.places?.answered(waiting.socket, true);
  }

  /** Ends the checks. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Ends calls that do not arrive whole in time. */
  readonly callsInTime: ServerInterceptor = (_method, call) => {
    let late: NodeJS.Timeout | undefined;
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const refuse = () =>
          call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: "the call did not arrive in time" });
        late = setTimeout(refuse, this.#options.requestTimeoutMs).unref();
        next(metadata);
      })
      .withOnReceiveHalfClose((next) => {
        clearTimeout(late);
        this.called(call.getPeer());
        next();
      })
      .withOnCancel(() => clearTimeout(late))
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
    return new ServerInterceptingCall(call, responder);
  };

  #check(now: number): void {
    for (const waiting of this.#waiting.values()) {
      const { socket, since, firstByteAt } = waiting;
      if (firstByteAt === undefined) {
        if (socket.bytesRead > 0) waiting.firstByteAt = now;
        else if (now - since > SILENT_MS) socket.destroy();
      } else if (now - firstByteAt > this.#options.requestTimeoutMs) socket.destroy();
    }
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
