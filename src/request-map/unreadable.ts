/** A request that the data server could read differently than we do, and is refused for it (security.md §2.7). */

/** Why a request cannot be read; returned, never thrown. */
export class Unreadable {
  /** For people: names the rule. Holds no value of the request. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}
