import { expect } from "vitest";

/** Matches an AuthorizerError "unavailable" with this message. */
export function unavailable(message: RegExp): unknown {
  return expect.objectContaining({ code: "unavailable", message: expect.stringMatching(message) });
}
