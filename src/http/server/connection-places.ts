/**
 * Places for the connections of all listeners of a process (spec/security §5.3). An address has at most half of those of a
 * listener. Who has shown a credential keeps its place: where all are taken, the connection that has shown none for
 * longest gives way, of the address that has most of them.
 */

import type { Server, Socket } from "node:net";
import { addressBlock } from "../request/client-address.ts";
import { reset } from "./reset.ts";

/**
 * Most connections of an address that has shown no credential, where nothing else is configured: a peer that resets them
 * all at once holds the process for about 20 µs each, and no caller may hold it for more than 100 ms.
 */
const MOST_PER_ADDRESS = 3_072;

/** Most connections of a process. */
interface ConnectionLimits {
  /** Connections of all listeners. */
  readonly connections: number;
  /** Connections of one address at one listener; 0: half of those of the listener, at most 3,072. */
  readonly connectionsPerAddress: number;
}

/** Knows the peers whose connections do not count for their address. */
export interface TrustedPeers {
  has(address: string | undefined): boolean;
}

/** Port: counts connections, for metrics. */
export interface ConnectionCounters {
  /** Open connections. */
  connections: number;
  /** Connections that were not accepted, and those that gave way. */
  connectionsRefused: number;
  connectionsGivenUp: number;
}

/** A connection that has a place. */
class Place {
  readonly socket: Socket;
  readonly listener: ListenerPlaces;
  /** The address for which it counts. */
  readonly address: Address;
  /** See {@link peerOf}. A closed socket does not tell it. */
  readonly peer: string;

  constructor(socket: Socket, listener: ListenerPlaces, address: Address) {
    this.socket = socket;
    this.listener = listener;
    this.address = address;
    this.peer = peerOf(socket);
  }
}

/** An address at a listener, with its connections that have shown no credential: the longest idle first. */
class Address {
  readonly strangers = new Set<Place>();
  /** Those of trusted peers on which nothing was answered yet. */
  readonly silent = new Set<Place>();

  get isEmpty(): boolean {
    return this.strangers.size + this.silent.size === 0;
  }
}

/** The places of one listener. */
export class ListenerPlaces {
  readonly most: number;
  readonly #process: ConnectionPlaces;
  readonly #perAddress: number;
  readonly #addresses = new Map<string, Address>();
  /** By the address and port of the peer: TLS puts another socket in the place of the first. */
  readonly #byPeer = new Map<string, Place>();

  /** Use {@link ConnectionPlaces.ofListener}. */
  constructor(process: ConnectionPlaces, most: number, perAddress: number) {
    this.#process = process;
    this.most = most;
    this.#perAddress = perAddress;
  }

  /** Open connections. */
  get taken(): number {
    return this.#byPeer.size;
  }

  /** True for a peer whose connections do not count for its address. */
  isTrusted({ remoteAddress }: Socket): boolean {
    return this.#process.trusted.has(remoteAddress);
  }

  /** Takes a place for a connection that was just accepted; false if there is none, and none gives way. */
  take(socket: Socket): boolean {
    const { remoteAddress } = socket;
    // A peer that is gone already.
    if (remoteAddress === undefined) return false;
    const key = addressBlock(remoteAddress);
    const isTrusted = this.#process.trusted.has(remoteAddress);
    const isOver = !isTrusted && (this.#addresses.get(key)?.strangers.size ?? 0) >= this.#perAddress;
    if (!this.#makeRoom(isOver ? this.#addresses.get(key) : undefined)) {
      this.#process.counters.connectionsRefused++;
      return false;
    }
    // Looked up again: the last connection of the address may just have given way.
    const address = this.#addresses.get(key) ?? new Address();
    this.#addresses.set(key, address);
    const place = new Place(socket, this, address);
    (isTrusted ? address.silent : address.strangers).add(place);
    this.#byPeer.set(place.peer, place);
    this.#process.counters.connections++;
    socket.once("close", () => {
      this.#forget(place);
      if (address.isEmpty && this.#addresses.get(key) === address) this.#addresses.delete(key);
    });
    return true;
  }

  /** The connection as it was accepted, of what TLS put in its place. */
  accepted(socket: Socket): Socket {
    return this.#byPeer.get(peerOf(socket))?.socket ?? socket;
  }

  /** Notes an answer on a connection. */
  answered(socket: Socket, isAuthenticated: boolean): void {
    const place = this.#byPeer.get(peerOf(socket));
    if (place === undefined) return;
    const { strangers, silent } = place.address;
    silent.delete(place);
    // What was used last is the last to give way.
    if (strangers.delete(place) && !isAuthenticated) strangers.add(place);
  }

  /** The connections of strangers at the address that has most of them. */
  fullest(): Address | undefined {
    return fullestOf(this.#addresses.values());
  }

  /** @param over the address of the new connection, if it has as many as it may */
  #makeRoom(over: Address | undefined): boolean {
    if (over !== undefined) return this.#giveUp(over);
    if (this.taken >= this.most) return this.#giveUp(this.fullest());
    return this.#process.hasRoom || this.#giveUp(this.#process.fullest());
  }

  #giveUp(address: Address | undefined): boolean {
    const set = address === undefined || address.strangers.size === 0 ? address?.silent : address.strangers;
    const [place] = set ?? [];
    if (place === undefined) return false;
    this.#process.counters.connectionsGivenUp++;
    place.listener.#forget(place);
    reset(place.socket);
    return true;
  }

  /** Its place is free at once; the socket closes in a later turn of the event loop. */
  #forget(place: Place): void {
    place.address.strangers.delete(place);
    place.address.silent.delete(place);
    if (this.#byPeer.get(place.peer) !== place) return;
    this.#byPeer.delete(place.peer);
    this.#process.counters.connections--;
  }
}

/** The address with most strangers; without any, that with most silent connections of a trusted peer. */
function fullestOf(addresses: Iterable<Address>): Address | undefined {
  let fullest: Address | undefined;
  for (const address of addresses) {
    const more =
      address.strangers.size - (fullest?.strangers.size ?? 0) ||
      address.silent.size - (fullest?.silent.size ?? 0);
    if (more > 0) fullest = address;
  }
  return fullest;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The places of a process. */
export class ConnectionPlaces {
  readonly trusted: TrustedPeers;
  readonly counters: ConnectionCounters;
  readonly #limits: ConnectionLimits;
  readonly #listeners: ListenerPlaces[] = [];

  constructor(limits: ConnectionLimits, trusted: TrustedPeers, counters: ConnectionCounters) {
    this.#limits = limits;
    this.trusted = trusted;
    this.counters = counters;
  }

  /** True while a further connection has room. */
  get hasRoom(): boolean {
    return this.#listeners.reduce((sum, { taken }) => sum + taken, 0) < this.#limits.connections;
  }

  /**
   * The places of a listener.
   * @param share the part of all places that it may have, up to 1
   * @param bound most that it may have, however many there are
   */
  ofListener(share: number, bound = Number.POSITIVE_INFINITY): ListenerPlaces {
    const { connections, connectionsPerAddress: perAddress } = this.#limits;
    const most = Math.max(1, Math.min(bound, Math.floor(connections * share)));
    const half = Math.max(1, Math.min(MOST_PER_ADDRESS, most >> 1));
    const places = new ListenerPlaces(this, most, perAddress > 0 ? perAddress : half);
    this.#listeners.push(places);
    return places;
  }

  /** The address with most strangers at any listener. */
  fullest(): Address | undefined {
    return fullestOf(this.#listeners.flatMap((listener) => listener.fullest() ?? []));
  }
}

/** Closes the connections of a server that are not admitted, before anything is made for them. */
export function acceptOnly(server: Server, admits: (socket: Socket) => boolean): void {
  const accepting = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (!admits(socket)) {
      socket.destroy();
      return;
    }
    for (const accept of accepting) Reflect.apply(accept, server, [socket]);
  });
}
