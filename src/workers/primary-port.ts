/** A worker's connection to its primary. */

import type { MessagePort } from "./channel.ts";

/** Returns the connection of this process to the one that started it; the process ends at once when that is gone. */
export function primaryPort(): MessagePort {
  // A primary that was killed holds no lock any more: another one may have the folder.
  process.once("disconnect", () => process.exit(1));
  return {
    send: (message, sent) => {
      if (process.connected) process.send?.(message, undefined, undefined, sent);
      else sent(new Error("the primary is gone"));
    },
    onMessage: (listener) => process.on("message", listener),
  };
}
