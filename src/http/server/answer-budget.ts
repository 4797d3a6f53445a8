/**
 * Counts answers that callers have not taken, and requests that they sent ahead of them, over all connections of a listener
 * (spec/security §5.3).
 */

import type { Socket } from "node:net";
import { reset } from "./reset.ts";

/** Bytes that a request holds until its answer is taken, besides that. */
export const REQUEST_BYTES = 4096;

/** The part of the budget that is left when connections had to give way. */
const LEFT = 7 / 8;

/** One budget for all connections. Where it is used up, those that took nothing for longest are closed. */
export class AnswerBudget {
  readonly #most: number;
  readonly #gauge: { answerBytes: number };
  /** By connection, those that have held something for longest first. */
  readonly #held = new Map<Socket, number>();
  #bytes = 0;

  /**
   * @param most bytes that all connections may hold together
   * @param gauge a number to keep up to date, for metrics
   */
  constructor(most: number, gauge: { answerBytes: number } = { answerBytes: 0 }) {
    this.#most = most;
    this.#gauge = gauge;
  }

  /** Notes that a connection holds more. May close connections, also this one. */
  hold(socket: Socket, bytes: number): void {
    // Its end, with which everything is given back, has been told.
    if (socket.destroyed) return;
    const before = this.#held.get(socket);
    this.#held.set(socket, (before ?? 0) + bytes);
    this.#add(bytes);
    if (before === undefined) socket.once("close", () => this.#forget(socket));
    if (this.#bytes > this.#most) this.#giveUp();
  }

  /** Notes that a connection has taken what it held. */
  release(socket: Socket, bytes: number): void {
    const held = this.#held.get(socket);
    if (held === undefined) return;
    this.#add(-Math.min(held, bytes));
    // Whoever takes something goes behind those who take nothing; the entry stays, with its listener, until the end.
    this.#held.delete(socket);
    this.#held.set(socket, Math.max(0, held - bytes));
  }

  #giveUp(): void {
    for (const [socket, bytes] of this.#held) {
      if (this.#bytes <= this.#most * LEFT) return;
      if (bytes === 0) continue;
      this.#add(-bytes);
      this.#held.set(socket, 0);
      reset(socket);
    }
  }

  #forget(socket: Socket): void {
    this.#add(-(this.#held.get(socket) ?? 0));
    this.#held.delete(socket);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#gauge.answerBytes += bytes;
  }
}
