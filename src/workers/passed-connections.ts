/**
 * Connections on their way from the primary to a worker. node:cluster forgets the one that a worker was being given when
 * it was killed: its client would wait for ever.
 */

import type { ChildProcess } from "node:child_process";

interface Closable {
  close(): void;
}

/**
 * Watches the connections that a worker is given; node:cluster gives one at a time for each address.
 * @returns closes those that may not have arrived, to be called when the worker has ended; one that has arrived is
 * closed here already, and closing it again does nothing
 */
export function watchPassedConnections(child: ChildProcess): () => void {
  const last = new Map<unknown, Closable>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = ((message: unknown, handle?: unknown, ...rest: unknown[]) => {
    const { act, key } = (message ?? {}) as { readonly act?: unknown; readonly key?: unknown };
    if (act === "newconn" && isClosable(handle)) last.set(key, handle);
    return send(message, handle, ...rest);
  }) as typeof child.send;
  return () => {
    for (const handle of last.values()) handle.close();
  };
}

function isClosable(value: unknown): value is Closable {
  return typeof value === "object" && value !== null && "close" in value && typeof value.close === "function";
}
