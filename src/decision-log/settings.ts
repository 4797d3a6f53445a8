/** The settings of a decision log (`authorizer.decision_log`). */

/** The decisions that get a record: a number is the share of the allowed ones; refusals are then recorded in full. */
type Include = "none" | "denied" | "all" | number;

/** The settings of a chain. */
export interface ChainSettings {
  /** Folder of all chains. */
  readonly directory: string;
  /** Name of the node. */
  readonly node: string;
  /** Number of this process on its node. */
  readonly worker: number;
  readonly segmentBytes: number;
  readonly segmentAgeMs: number;
  /** 0: for ever. */
  readonly keepMs: number;
  /** 0: without bound. */
  readonly maxBytes: number;
  readonly compress: boolean;
  readonly sync: "interval" | "each";
  readonly whenFull: "drop" | "refuse";
}

/** The settings of a log. */
export interface DecisionLogSettings extends ChainSettings {
  readonly include: Include;
  /** JSON pointers or names of condition fields whose values are replaced. */
  readonly mask: readonly string[];
  /** Largest number of items in the record of a batch. */
  readonly items: number;
  /** `auth.encrypt.secret_key`; "" for none. */
  readonly secretKey: string;
  /** `authorizer.previous_secret_key`; "" or absent for none. */
  readonly formerSecretKey?: string;
}

/** Returns the meaning of `authorizer.decision_log.include`; undefined for a text that has none. */
export function parseInclude(text: string): Include | undefined {
  if (text === "none" || text === "denied" || text === "all") return text;
  if (!/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text)) return undefined;
  const share = Number(text);
  return share === 1 ? "all" : share === 0 ? "denied" : share;
}
