/** Exit codes of our commands. */
export const EXIT = {
  ok: 0,
  /** The command was understood and failed. */
  failed: 1,
  /** The command line or the configuration is wrong; nothing was started. */
  usage: 2,
} as const;
