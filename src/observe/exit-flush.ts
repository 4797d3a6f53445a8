/** Saves what is still in memory when the process exits without an orderly close (a forced exit, a crash). */

const savers = new Set<() => void>();

function saveAll(): void {
  for (const save of savers) save();
}

/**
 * Calls `save` (which must not throw) synchronously when the process exits; returns what cancels that. One listener
 * serves all, so that many services in one process raise no warning.
 */
export function saveAtExit(save: () => void): () => void {
  if (savers.size === 0) process.on("exit", saveAll);
  savers.add(save);
  return () => {
    savers.delete(save);
    if (savers.size === 0) process.off("exit", saveAll);
  };
}
