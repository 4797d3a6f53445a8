/** Loads the shadow candidate again when its files change. It polls: a glob may match files that did not exist before. */

import type { ServiceShadow } from "./service-shadow.ts";

const CHECK_MS = 2_000;

/** Watches the files; returns what ends the watching. */
export function watchShadow(shadow: ServiceShadow | undefined): () => void {
  if (shadow === undefined) return () => undefined;
  const state = {
    known: undefined as string | undefined,
    seen: undefined as string | undefined,
    busy: false,
  };
  const look = async (): Promise<void> => {
    const now = await shadow.fingerprint();
    state.known ??= now;
    // Loaded at the second look that finds the same: files are written one after the other.
    if (now !== state.known && now === state.seen) {
      state.known = now;
      await shadow.load();
    }
    state.seen = now;
  };
  const timer = setInterval(() => {
    if (state.busy) return;
    state.busy = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        state.busy = false;
      });
  }, CHECK_MS).unref();
  void look().catch(() => undefined);
  return () => clearInterval(timer);
}
