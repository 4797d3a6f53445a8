/** Calls over Thrift's binary protocol, one after the other on one connection. */

import { connect, type Socket } from "node:net";
import thrift, { type TBufferedTransport } from "thrift";
import { type ReadStruct, readStruct, type Written } from "./thrift-values.ts";

const { TBinaryProtocol, TBufferedTransport: Buffered, Thrift } = thrift;

/** Longest time without an answer, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Result of a call: success in field 0, an exception in another one. */
type Reply = { readonly result: ReadStruct } | { readonly fault: string };

/** A connection to a server. */
export class ThriftConnection {
  readonly #socket: Socket;
  #sequence = 0;
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on(
      "data",
      Buffered.receiver((transport) => this.#receive(transport)),
    );
    const fail = (message: string) => (): void => this.#fail(new Error(`the metastore ${message}`));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", fail("closed the connection"));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("the metastore does not answer")));
  }

  /** @param address `host:port`, also behind `thrift://` */
  static async open(address: string): Promise<ThriftConnection> {
    const { host = "", port = "" } =
      /^(?:thrift:\/\/)?(?<host>\[[^\]]+\]|[^:]+):(?<port>\d+)\/?$/.exec(address)?.groups ?? {};
    if (port === "")
      throw new Error(`invalid address of a metastore: ${JSON.stringify(address)}, expected host:port`);
    const socket = connect(Number(port), host.replace(/^\[|\]$/g, ""));
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) =>
        reject(new Error(`cannot reach the metastore at ${address}: ${error.message}`)),
      );
    });
    socket.removeAllListeners("error");
    return new ThriftConnection(socket);
  }

  /** Makes a call. Throws where the server does not know it, or ends. */
  async call(name: string, args: Written): Promise<ReadStruct> {
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const transport = new Buffered(undefined, (data) => this.#socket.write(data));
      const protocol = new TBinaryProtocol(transport, true, true);
      this.#sequence += 1;
      protocol.writeMessageBegin(name, Thrift.MessageType.CALL, this.#sequence);
      args.write(protocol);
      protocol.writeMessageEnd();
      transport.flush();
    });
    if ("fault" in reply) throw new Error(`${name}: ${reply.fault}`);
    return reply.result;
  }

  close(): void {
    this.#socket.removeAllListeners("close").end();
  }

  #receive(transport: TBufferedTransport): void {
    try {
      const protocol = new TBinaryProtocol(transport, true, true);
      const { mtype } = protocol.readMessageBegin();
      const result = readStruct(protocol);
      protocol.readMessageEnd();
      transport.commitPosition();
      const isFault = mtype === Thrift.MessageType.EXCEPTION;
      this.#waiting?.resolve(isFault ? { fault: result.text(1) } : { result });
      this.#waiting = undefined;
    } catch (error) {
      // Until a message is there whole, it is read again from its start.
      if ((error as Error).name === "InputBufferUnderrunError") transport.rollbackPosition();
      else this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
