/** The log as a store needs it. */

/** Port: reports of a store to operators. Fields come first, as in structured loggers. */
export interface StoreLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
