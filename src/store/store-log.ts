/** The log as a store needs it. */

/** Where a store tells what operators should know. Fields first, as structured loggers take them. */
export interface StoreLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
