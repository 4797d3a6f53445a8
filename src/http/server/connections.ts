/** The open connections of a server with the exchange that each one serves. */

import type { Socket } from "node:net";
import { AuthorizerError } from "../../errors.ts";
import { refuse } from "../answer.ts";
import { RequestRefused } from "../errors.ts";
import type { Exchange, ServerContext } from "../exchange.ts";
import { KEEP_ALIVE_MS } from "../limits.ts";
import { requestId } from "../request/request-id.ts";
import { type AnswerBudget, REQUEST_BYTES } from "./answer-budget.ts";
import type { ListenerPlaces } from "./connection-places.ts";
import { parserFault, rawReply } from "./raw-reply.ts";

const PATIENCE_MS = 1000;

/** Beyond the idle time that clients are told. */
const GRACE_MS = 1000;

/** Requests of one connection that are served in one turn of the event loop; a client that pipelines sends a few. */
const MAX_IN_A_TURN = 256;

/** An open connection. */
interface Connection {
  /** Its last request; undefined before the first. */
  exchange: Exchange | undefined;
  /** The turn of the event loop in which it last sent requests ahead, and how many came in that turn. */
  turn: number;
  inTurn: number;
  /** Bytes that had arrived when its idle time was over. */
  bytesThen: number;
  /** Requests that came before the answers to those before them were taken, and whose own are not. */
  ahead: number;
  /** True while it is not read. */
  isPaused: boolean;
  /** True once an authenticated request was answered on it. */
  isKnown: boolean;
}

/** Options of {@link Connections}. */
export interface ConnectionsOptions {
  /** The headers of every answer of the server. */
  readonly answerHeaders: ServerContext["answerHeaders"];
  readonly answers: AnswerBudget;
  /** Absent: connections are not bounded. */
  readonly places: ListenerPlaces | undefined;
}

/** Knows every connection, so that late requests are answered and silent connections found. */
export class Connections {
  readonly #open: Map<Socket, Connection> = new Map();

  /** Connections whose bytes make no sense any more. */
  readonly #malformed: WeakSet<Socket> = new WeakSet();

  readonly #answerHeaders: ServerContext["answerHeaders"];
  readonly #answers: AnswerBudget;
  readonly #places: ListenerPlaces | undefined;
  readonly #onAnswered = (exchange: Exchange): void => this.#answered(exchange);

  constructor({ answerHeaders, answers, places }: ConnectionsOptions) {
    this.#answerHeaders = answerHeaders;
    this.#answers = answers;
    this.#places = places;
  }

  add(socket: Socket): void {
    const connection: Connection = {
      exchange: undefined,
      turn: -1,
      inTurn: 0,
      bytesThen: -1,
      ahead: 0,
      isPaused: false,
      isKnown: this.#places === undefined,
    };
    this.#open.set(socket, connection);
    socket.once("close", () => {
      // Once per connection instead of once per request: the only place that a caller who goes away can hold.
      this.#open.delete(socket);
      connection.exchange?.leave();
      connection.exchange?.releaseBody();
      connection.exchange?.span?.abandoned(connection.exchange.response.headersSent);
    });
  }

  /** Counts turns of the event loop, as long as connections send requests ahead. */
  #turn = 0;
  #turnEnds = false;

  /** Notes that a connection sent a request. One that sends hundreds ahead at once is closed. */
  serving(exchange: Exchange): void {
    const { socket } = exchange.request;
    const connection = this.#open.get(socket);
    // A connection that is closed already.
    if (connection === undefined) return;
    const before = connection.exchange;
    connection.exchange = exchange;
    if (!connection.isKnown) exchange.onAnswered = this.#onAnswered;
    if (before === undefined || before.response.writableFinished) return;
    this.#sentAhead(exchange, before, connection);
    // The parser takes all that has arrived at once, and cannot be stopped in between.
    const turn = this.#currentTurn();
    connection.inTurn = turn === connection.turn ? connection.inTurn + 1 : 1;
    connection.turn = turn;
    if (connection.inTurn > MAX_IN_A_TURN) socket.destroy();
  }

  /**
   * A connection is not read while its caller has answers to take: what it sends meanwhile would only fill the memory.
   * @param before the request before this one
   */
  #sentAhead(exchange: Exchange, before: Exchange, connection: Connection): void {
    const { socket } = exchange.request;
    const goOn = (): void => {
      const { ahead, exchange: last } = connection;
      // The last request may be one whose body still has to be read.
      const isLeft = ahead === 1 && last?.request.complete === false;
      if (!connection.isPaused || (ahead > 0 && !isLeft) || socket.destroyed) return;
      connection.isPaused = false;
      socket.off("resume", pauseAgain);
      socket.resume();
    };
    if (!connection.isPaused) {
      connection.isPaused = true;
      socket.pause();
      // What reads a body would begin to read the connection again.
      socket.on("resume", pauseAgain);
    }
    if (connection.ahead++ === 0) before.response.once("close", goOn);
    this.#answers.hold(socket, REQUEST_BYTES);
    exchange.response.once("close", () => {
      this.#answers.release(socket, REQUEST_BYTES);
      connection.ahead--;
      goOn();
    });
  }

  #answered({ request: { socket }, caller }: Exchange): void {
    const isAuthenticated = caller.name !== "";
    this.#places?.answered(socket, isAuthenticated);
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.isKnown = isAuthenticated;
  }

  #currentTurn(): number {
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      setImmediate(() => {
        this.#turn++;
        this.#turnEnds = false;
      });
    }
    return this.#turn;
  }

  /**
   * Answers requests whose time is up: 408 when the body is missing, 503 when the answer is. Streams are cut, and
   * connections whose caller did not take the answer in that time.
   */
  refuseOverdue(now: number): void {
    for (const [socket, { exchange }] of this.#open) {
      if (exchange !== undefined && now > exchange.deadline) expire(socket, exchange);
    }
  }

  /** Closes connections whose idle time is over, a while after the client was told that they end. */
  closeIdle(now: number): void {
    for (const [socket, connection] of this.#open) {
      const { exchange } = connection;
      if (exchange === undefined || !exchange.answered || !exchange.response.writableFinished) continue;
      if (now - exchange.endedAt < KEEP_ALIVE_MS + GRACE_MS) continue;
      // A request that is just arriving is waited for: the connection ends when nothing came since the last check.
      if (socket.bytesRead === connection.bytesThen) socket.destroy();
      connection.bytesThen = socket.bytesRead;
    }
  }

  /** Answers what the HTTP parser could not take, behind the answers to the requests before it. */
  refuseMalformed(error: Error, socket: Socket): void {
    if (this.#malformed.has(socket)) return;
    this.#malformed.add(socket);
    // The headers of what made no request are not known, so it gets a fresh id.
    const reply = (id = requestId(undefined)) =>
      rawReply(socket, {
        ...parserFault(error),
        headers: ["X-Request-ID", id, ...this.#answerHeaders()],
      });
    const exchange = this.#open.get(socket)?.exchange;
    if (exchange === undefined || exchange.response.writableFinished) reply();
    else if (exchange.request.complete) exchange.response.once("finish", () => reply());
    else if (exchange.answered || exchange.response.headersSent || exchange.response.socket === null) {
      socket.destroy();
    } else {
      // The body is what is malformed: this is the answer to its request.
      exchange.answered = true;
      exchange.leave();
      reply(exchange.requestId);
    }
  }

  /**
   * Closes connections that never sent a request; `node:http` does not count them as idle.
   * @param waitedMs how long they were waited for; one that began to send gets a second.
   */
  closeSilent(waitedMs: number): void {
    for (const [socket, { exchange }] of this.#open) {
      if (exchange === undefined && (socket.bytesRead === 0 || waitedMs >= PATIENCE_MS)) socket.destroy();
    }
  }
}

function pauseAgain(this: Socket): void {
  this.pause();
}

function expire(socket: Socket, exchange: Exchange): void {
  const { request, response } = exchange;
  if (exchange.answered) {
    // Answered, yet the body still comes, or nobody takes the answer; any other connection stays open.
    if (!request.complete || !response.writableFinished) socket.destroy();
    exchange.deadline = Number.POSITIVE_INFINITY;
    return;
  }
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  response.shouldKeepAlive = false;
  refuse(exchange, overdue(exchange));
}

function overdue({ request, waiting }: Exchange): AuthorizerError {
  if (request.complete || waiting) {
    return new AuthorizerError("unavailable", "no answer in time, try again", { retryAfterSeconds: 1 });
  }
  return new RequestRefused(408, "the body did not arrive in time");
}
