/** A channel over a real pair of message ports. */

import { MessageChannel } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { type Answerer, Channel } from "../../src/workers/channel.ts";

/** A channel to another that answers so, until the test ends. */
export function channelTo(answerers: Record<string, Answerer>): Channel {
  const pair = new MessageChannel();
  onTestFinished(() => pair.port1.close());
  const [own, other] = [pair.port1, pair.port2].map((port) => ({
    send: (message: unknown, sent: (error: Error | null) => void) => {
      port.postMessage(message);
      sent(null);
    },
    onMessage: (listener: (message: unknown) => void) => port.on("message", listener),
  }));
  new Channel(other!, new Map(Object.entries(answerers)));
  return new Channel(own!, new Map());
}
