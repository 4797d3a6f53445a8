/** Messages between the primary process and a worker: questions with answers, and news without. */

import {
  AuthorizerError,
  type AuthorizerErrorOptions,
  type ErrorCode,
  messageOf,
} from "@svc-authorizer/policy/errors.ts";

/** One end of a connection between two processes, with structured cloning. */
export interface MessagePort {
  /** Sends a message; `sent` is called when it has left, with an error where it could not. */
  send(message: unknown, sent: (error: Error | null) => void): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** Answers a kind of question. */
export type Answerer = (body: never) => unknown;

interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly problems: AuthorizerErrorOptions["problems"];
  readonly retryAfterSeconds: number | undefined;
}

type Message =
  | { readonly type: "ask"; readonly id: number; readonly kind: string; readonly body: unknown }
  | { readonly type: "answer"; readonly id: number; readonly body?: unknown; readonly error?: SentError };

interface Waiting {
  readonly resolve: (body: never) => void;
  readonly reject: (error: unknown) => void;
  /** Makes the error where the other side is gone and may have done what it was asked. */
  readonly lost: () => AuthorizerError;
}

/** Asks and answers. */
export class Channel {
  readonly #port: MessagePort;
  readonly #answerers: ReadonlyMap<string, Answerer>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** @param answerers of the other side's questions, by kind */
  constructor(port: MessagePort, answerers: ReadonlyMap<string, Answerer>) {
    this.#port = port;
    this.#answerers = answerers;
    port.onMessage((message) => this.#take(message as Message));
  }

  /**
   * Asks the other side; rejects with its error, or with "unavailable" where it is gone.
   * @param lost makes the error where the other side was asked and went before it answered; default "unavailable"
   */
  ask<T>(kind: string, body?: unknown, lost: () => AuthorizerError = gone): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject, lost });
      this.#send({ type: "ask", id, kind, body });
    });
  }

  /** Asks without waiting for an answer. */
  tell(kind: string, body?: unknown): void {
    this.#send({ type: "ask", id: 0, kind, body });
  }

  /** Rejects what waits for an answer: the other side is gone. */
  close(): void {
    for (const { reject, lost } of this.#waiting.values()) reject(lost());
    this.#waiting.clear();
  }

  #send(message: Message): void {
    const { id } = message;
    this.#port.send(message, (error) => {
      if (error === null || message.type === "answer") return;
      this.#waiting.get(id)?.reject(gone());
      this.#waiting.delete(id);
    });
  }

  #take(message: Message): void {
    if (message.type === "ask") void this.#answer(message.id, message.kind, message.body);
    if (message.type !== "answer") return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.body as never);
    else waiting?.reject(receivedError(message.error));
  }

  async #answer(id: number, kind: string, body: unknown): Promise<void> {
    let answer: Message;
    try {
      answer = { type: "answer", id, body: await this.#answerers.get(kind)?.(body as never) };
    } catch (error) {
      answer = { type: "answer", id, error: sentError(error) };
    }
    if (id !== 0) this.#send(answer);
  }
}

function gone(): AuthorizerError {
  return new AuthorizerError("unavailable", "The process that writes is gone.", { retryAfterSeconds: 1 });
}

function sentError(error: unknown): SentError {
  if (!(error instanceof AuthorizerError)) {
    const message = messageOf(error);
    return { code: "internal", message, problems: [], retryAfterSeconds: undefined };
  }
  const { code, message, problems, retryAfterSeconds } = error;
  return { code, message, problems, retryAfterSeconds };
}

function receivedError({ code, message, problems, retryAfterSeconds }: SentError): AuthorizerError {
  return new AuthorizerError(code, message, {
    ...(problems !== undefined && { problems }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
