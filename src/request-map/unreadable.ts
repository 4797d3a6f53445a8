/** The refusal of a request that the data server could read differently (spec/security §2.7). */

/** The reason why a request cannot be read. It is returned, never thrown. */
export class Unreadable {
  /** For people: names the rule. Contains no value of the request. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}
