/** The address at which one signs out at a provider that is away, or whose document is wrong (spec/sign-in §8). */

import { describe, expect, it } from "vitest";
import { openSignIn } from "../../src/sign-in/open-sign-in.ts";

/** Signing in with a provider that answers so. */
function signInWith(signOutUrl: () => Promise<string | undefined>) {
  const way = { name: "corp", title: "Example" };
  return openSignIn({
    providers: [{ provider: { signOutUrl }, rules: { way } }],
    origins: ["https://authz.example.com"],
    directory: {},
    isProtected: () => false,
    secrets: ["a secret key of a test that is long enough"],
  } as never);
}
const ask = (signOutUrl: () => Promise<string | undefined>) =>
  signInWith(signOutUrl)?.signOutUrl("corp", "https://authz.example.com");

describe("the address at which one signs out", () => {
  it("is the provider's", async () => {
    expect(await ask(async () => "https://id.example.com/end")).toBe("https://id.example.com/end");
  });

  it("is not waited for where the provider hangs", async () => {
    expect(await ask(() => new Promise(() => {}))).toBeUndefined();
  });

  it("is none where the provider's document is wrong", async () => {
    expect(
      await ask(() => Promise.reject(new TypeError("only requests to HTTPS are allowed"))),
    ).toBeUndefined();
  });
});
