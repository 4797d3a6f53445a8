/**
 * Operations that cannot be done as they are sent (spec/scim §2). An operation that takes access away must not be lost
 * because of another one beside it: identity providers send all that changed together.
 */

/** The ways, `authorizer.scim.*`. */
export interface Tolerance {
  /** An operation on an attribute of an extension that the service does not know. */
  readonly unknownExtensions: "ignore" | "refuse";
  /** A `replace` whose filter no value passes: the value that the filter describes is added, or the call is refused. */
  readonly replaceWithoutMatch: "add" | "refuse";
}
