/** Turns of the event loop in which thousands of connections send, or end, at once. */

import type { Socket } from "node:net";

/** Milliseconds of a turn after which other connections wait, and events that it must have had: one may take as long. */
const MOST_MS = 10;
const FEWEST_EVENTS = 32;
/** Connections that are read again in each turn: the last paused first, and some that have waited for longest. */
const LAST_IN_A_TURN = 96;
const FIRST_IN_A_TURN = 32;

/** The connections of a server. */
interface Pausable {
  /** Pauses the connections that may be paused, and returns them: those to read first come last. */
  pauseAll(): readonly Socket[];
  /** Reads a connection again, if it is open and nothing else pauses it. */
  goOn(socket: Socket): void;
}

/**
 * Shares turns between connections. One look at the network brings what all of them sent, which may take a second; what can be
 * done is not to read the others in the same turn, and afterwards to read a part of them in each.
 */
export class CrowdedTurns {
  readonly #connections: Pausable;
  readonly #now: () => number;
  /** Paused connections. */
  readonly #waiting: Socket[] = [];
  #began = 0;
  #events = 0;
  #isOver = false;

  /** @param now a clock, in milliseconds */
  constructor(connections: Pausable, now = () => performance.now()) {
    this.#connections = connections;
    this.#now = now;
  }

  /** Notes a request, or the end of a connection. */
  note(): void {
    if (this.#events++ === 0) {
      this.#began = this.#now();
      setImmediate(this.#next);
    }
    if (this.#isOver || this.#events < FEWEST_EVENTS || this.#now() - this.#began < MOST_MS) return;
    this.#isOver = true;
    const isWaited = this.#waiting.length > 0;
    for (const socket of this.#connections.pauseAll()) this.#waiting.push(socket);
    if (!isWaited && this.#waiting.length > 0) setImmediate(this.#goOn);
  }

  readonly #next = (): void => {
    this.#events = 0;
    this.#isOver = false;
  };

  readonly #goOn = (): void => {
    const waiting = this.#waiting;
    const first = waiting.splice(0, FIRST_IN_A_TURN);
    const last = waiting.splice(Math.max(0, waiting.length - LAST_IN_A_TURN));
    for (const socket of [...last.reverse(), ...first]) this.#connections.goOn(socket);
    if (waiting.length > 0) setImmediate(this.#goOn);
  };
}
