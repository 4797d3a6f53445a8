/** The open connections of a server with the exchange that each one serves. */

import type { Socket } from "node:net";
import type { Exchange, ServerContext } from "../exchange.ts";
import { closeUntraced } from "../fast/close-untraced.ts";
import { KEEP_ALIVE_MS } from "../limits.ts";
import { requestId } from "../request/request-id.ts";
import { type AnswerBudget, REQUEST_BYTES } from "./answer-budget.ts";
import { isAnswerTaken } from "./answer-taken.ts";
import type { ListenerPlaces } from "./connection-places.ts";
import { CrowdedTurns } from "./crowded-turns.ts";
import { expire } from "./expire.ts";
import { parserFault, rawReply } from "./raw-reply.ts";
import { noteBeneath, reset } from "./reset.ts";

const PATIENCE_MS = 1000;

/** Beyond the idle time that clients are told. */
const GRACE_MS = 1000;

/** Requests of one connection that are served in one turn of the event loop; a client that pipelines sends a few. */
const MAX_IN_A_TURN = 256;

/** The same of all connections: to read so many takes tens of milliseconds. */
const MAX_OF_ALL_IN_A_TURN = 2048;
/**
 * Bytes of answers for requests that a stranger sends ahead. The operating system takes megabytes for each connection, also
 * where nobody reads them, and has one bound for all connections of the machine.
 */
const MAX_BYTES_AHEAD = 64 << 10;
/** Bytes of an answer that counts for a trusted peer. */
const LONG_ANSWER = 4096;
/** Milliseconds of a turn for requests that waited for the answers before them. */
const LATE_MS = 4;

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
  /** True while it is not read, and the bytes that were written to it before. */
  isPaused: boolean;
  bytesBefore: number;
  /** Those of them that are not served yet. */
  readonly waiting: Exchange[];
  /** The request that is served, or was served last. */
  served: Exchange | undefined;
  /** True once an authenticated request was answered on it. */
  isKnown: boolean;
  /** Bytes written to a stranger, and those of them that count: it may not have taken them, and the system does not tell. */
  seen: number;
  toStranger: number;
}

/** Options of {@link Connections}. */
interface ConnectionsOptions {
  /** The headers of every answer of the server. */
  readonly answerHeaders: ServerContext["answerHeaders"];
  readonly answers: AnswerBudget;
  /** Counts what trusted peers were sent who showed no credential. */
  readonly trustedAnswers: AnswerBudget;
  /** Absent: connections are not bounded. */
  readonly places: ListenerPlaces | undefined;
  /** Serves a request whose turn has come. */
  readonly serve: (exchange: Exchange) => void;
}

/** Knows every connection, so that late requests are answered and silent connections found. */
export class Connections {
  readonly #open: Map<Socket, Connection> = new Map();

  /** Open connections that are not paused here. Where thousands wait, few are read: only these are looked at. */
  readonly #read: Set<Socket> = new Set();

  /** Connections whose bytes make no sense any more. */
  readonly #malformed: WeakSet<Socket> = new WeakSet();

  readonly #answerHeaders: ServerContext["answerHeaders"];
  readonly #answers: AnswerBudget;
  readonly #trustedAnswers: AnswerBudget;
  readonly #places: ListenerPlaces | undefined;
  readonly #serve: (exchange: Exchange) => void;
  /** Requests whose turn has come. */
  readonly #late: (readonly [Connection, Exchange])[] = [];
  /** Requests that all connections sent ahead in this turn. */
  #inTurn = 0;
  readonly #onAnswered = (exchange: Exchange): void => this.#answered(exchange);
  readonly #turns = new CrowdedTurns({
    pauseAll: () => this.#pauseAll(),
    goOn: (socket) => this.#goOn(socket),
  });

  constructor({ answerHeaders, answers, trustedAnswers, places, serve }: ConnectionsOptions) {
    this.#answerHeaders = answerHeaders;
    this.#answers = answers;
    this.#trustedAnswers = trustedAnswers;
    this.#places = places;
    this.#serve = serve;
  }

  add(socket: Socket): void {
    const connection: Connection = {
      exchange: undefined,
      turn: -1,
      inTurn: 0,
      bytesThen: -1,
      ahead: 0,
      isPaused: false,
      bytesBefore: 0,
      waiting: [],
      served: undefined,
      isKnown: this.#places === undefined,
      seen: 0,
      toStranger: 0,
    };
    this.#open.set(socket, connection);
    this.#read.add(socket);
    if (this.#places !== undefined) noteBeneath(socket, this.#places.accepted(socket));
    closeUntraced(socket);
    socket.once("end", () => this.#turns.note());
    socket.once("close", () => {
      // One that was reset has no end.
      if (!socket.readableEnded) this.#turns.note();
      // Once per connection instead of once per request: the only place that a caller who goes away can hold.
      this.#open.delete(socket);
      this.#read.delete(socket);
      for (const exchange of new Set([connection.served, connection.exchange])) {
        exchange?.leave();
        exchange?.releaseBody();
      }
      connection.exchange?.span?.abandoned(connection.exchange.response.headersSent);
    });
  }

  /** Counts turns of the event loop, as long as connections send requests ahead. */
  #turn = 0;
  #turnEnds = false;

  /** Pauses connections; returns what lets them go on. */
  pause(): () => void {
    const paused = this.#pauseAll();
    return () => {
      for (const socket of paused) this.#goOn(socket);
    };
  }

  /** Pauses the connections whose body, if one is on its way, needs no such pause of its own. Known callers come last. */
  #pauseAll(): Socket[] {
    const [strangers, known]: [Socket[], Socket[]] = [[], []];
    for (const socket of this.#read) {
      const { exchange, isKnown } = this.#open.get(socket)!;
      // A stream stops the reading of its connection without `pause`, and would be filled beyond its bound afterwards.
      const isStream = exchange?.request.complete === false && exchange.onPiece === undefined;
      if (isStream || socket.isPaused() || socket.readableEnded) continue;
      socket.pause();
      // What reads a body may read on by itself.
      if (exchange?.request.complete !== false) this.#read.delete(socket);
      (isKnown ? known : strangers).push(socket);
    }
    return strangers.concat(known);
  }

  #goOn(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#read.add(socket);
    if (!connection.isPaused) socket.resume();
  }

  /**
   * Notes that a connection sent a request; true if it is to be served now. One that was sent ahead is served when the answers
   * before it are taken. A connection that sends hundreds ahead at once is closed, and so is one that sends ahead while all
   * together have sent too many.
   */
  serving(exchange: Exchange): boolean {
    const { socket } = exchange.request;
    const connection = this.#open.get(socket);
    this.#turns.note();
    // A connection that is closed already.
    if (connection === undefined) return false;
    // Node reads a connection on by itself once its answers are taken.
    this.#read.add(socket);
    const before = connection.exchange;
    connection.exchange = exchange;
    if (!connection.isKnown) exchange.onAnswered = this.#onAnswered;
    if (before === undefined || isAnswerTaken(before.response, socket)) {
      connection.served = exchange;
      return true;
    }
    // The parser takes all that has arrived at once, and cannot be stopped in between.
    const turn = this.#currentTurn();
    connection.inTurn = turn === connection.turn ? connection.inTurn + 1 : 1;
    connection.turn = turn;
    this.#inTurn++;
    if (connection.inTurn > MAX_IN_A_TURN || this.#inTurn > MAX_OF_ALL_IN_A_TURN) reset(socket);
    else this.#sentAhead(exchange, before, connection);
    return false;
  }

  /**
   * A connection is not read while its caller has answers to take: what it sends meanwhile would only fill the memory.
   * @param before the request before this one
   */
  #sentAhead(exchange: Exchange, before: Exchange, connection: Connection): void {
    const { socket } = exchange.request;
    const goOn = (): void => {
      // Each request that waits on a connection that ends comes here.
      if (socket.destroyed) return;
      if (!connection.isKnown && socket.bytesWritten - connection.bytesBefore > MAX_BYTES_AHEAD) {
        reset(socket);
        return;
      }
      const next = connection.waiting.shift();
      if (next !== undefined) this.#serveLater(connection, next);
      const { ahead, exchange: last } = connection;
      // The last request may be one whose body still has to be read.
      const isLeft = ahead === 1 && last?.request.complete === false;
      if (!connection.isPaused || (ahead > 0 && !isLeft)) return;
      connection.isPaused = false;
      socket.off("resume", pauseAgain);
      socket.resume();
    };
    if (!connection.isPaused) {
      connection.isPaused = true;
      connection.bytesBefore = socket.bytesWritten;
      socket.pause();
      // What reads a body would begin to read the connection again.
      socket.on("resume", pauseAgain);
    }
    connection.waiting.push(exchange);
    if (connection.ahead++ === 0) before.response.once("close", goOn);
    this.#answers.hold(socket, REQUEST_BYTES);
    exchange.response.once("close", () => {
      this.#answers.release(socket, REQUEST_BYTES);
      connection.ahead--;
      goOn();
    });
  }

  /** Serves a request that waited, in a later turn: those of all connections share a part of each. */
  #serveLater(connection: Connection, exchange: Exchange): void {
    this.#late.push([connection, exchange]);
    if (this.#late.length === 1) setImmediate(this.#serveSome);
  }

  readonly #serveSome = (): void => {
    const end = performance.now() + LATE_MS;
    let served = 0;
    for (const [connection, exchange] of this.#late) {
      served++;
      if (!exchange.answered && !exchange.request.socket.destroyed) {
        connection.served = exchange;
        exchange.isLate = true;
        exchange.deadline = performance.now() + exchange.server.limits.requestTimeoutMs;
        this.#serve(exchange);
      }
      if (performance.now() > end) break;
    }
    this.#late.splice(0, served);
    if (this.#late.length > 0) setImmediate(this.#serveSome);
  };

  #answered({ request: { socket }, response, caller }: Exchange): void {
    if (caller.name === "") {
      // An answer that nobody takes is never finished.
      this.#countWritten(socket);
      // Who takes no answer is as idle as who asks nothing.
      response.once("finish", () => {
        this.#places?.answered(socket, false);
        this.#countWritten(socket);
      });
      return;
    }
    this.#places?.answered(socket, true);
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.isKnown = true;
    if (connection.toStranger > 0) this.#budgetOf(socket).release(socket, connection.toStranger);
    connection.toStranger = 0;
  }

  /**
   * Counts what a stranger was sent until it shows a credential, or its connection ends: whoever asks once more may never
   * have read the answer before, of which the operating system holds megabytes for each connection.
   */
  #countWritten(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isKnown) return;
    const more = socket.bytesWritten - connection.seen;
    connection.seen += more;
    // Proxies keep their connections for days, and refusals to their clients are short.
    if (more < LONG_ANSWER && this.#places?.isTrusted(socket) === true) return;
    connection.toStranger += more;
    this.#budgetOf(socket).hold(socket, more);
  }

  #budgetOf(socket: Socket): AnswerBudget {
    return this.#places?.isTrusted(socket) === true ? this.#trustedAnswers : this.#answers;
  }

  #currentTurn(): number {
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      setImmediate(() => {
        this.#turn++;
        this.#inTurn = 0;
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
    for (const [socket, { served }] of this.#open) {
      if (served !== undefined && now > served.deadline) expire(socket, served);
    }
  }

  /** Closes connections whose idle time is over, a while after the client was told that they end. */
  closeIdle(now: number): void {
    for (const [socket, connection] of this.#open) {
      const { exchange } = connection;
      if (exchange === undefined || !exchange.answered || !exchange.response.writableFinished) continue;
      if (now - exchange.endedAt < KEEP_ALIVE_MS + GRACE_MS) continue;
      // A request that is just arriving is waited for: the connection ends when nothing came since the last check.
      if (socket.bytesRead === connection.bytesThen) {
        if (connection.toStranger > 0) reset(socket);
        else socket.destroy();
      }
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
    const isDone = exchange === undefined || exchange.response.writableFinished;
    // Who ends within a request waits for no answer, and thousands may end at once.
    if (isDone && (socket.destroyed || isCutOff(error))) socket.destroy();
    else if (isDone) reply();
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

function isCutOff(error: Error & { readonly code?: string }): boolean {
  return error.code === "HPE_INVALID_EOF_STATE";
}

function pauseAgain(this: Socket): void {
  this.pause();
}
