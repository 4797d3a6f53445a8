/** Access keys that expire: nothing that authenticates outlives them, cached or not. */

import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { header } from "./signature-kit.ts";
import { HERE, openTestIdentities, outcomeOf } from "./test-identities.ts";

const bed = await closedAfterAll(openTestIdentities());
const SECRET = "secret of the key that expires";

async function keyFor(id: string, seconds: number): Promise<void> {
  const key = { access_key_id: id, secret_access_key: SECRET, expires_in: seconds };
  await bed.directory.credentials.create("alice", key);
}

/** A request that is signed at the time of the clock. */
function signedNow(accessKeyId: string) {
  const timestamp = new Date(bed.clock.now).toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = [timestamp.slice(0, 8), "us-east-1", "s3", "aws4_request"];
  return header({ accessKeyId, secret: SECRET, timestamp, scope });
}

describe("an access key that expires", () => {
  it("opens nothing from its last second on, though it is in the cache", async () => {
    await keyFor("AK-1", 100);
    const attempts = {
      secret: () => bed.identities.withAccessKey("AK-1", SECRET, HERE),
      signature: () => bed.identities.withSignature(signedNow("AK-1"), HERE),
    };
    const end = Math.floor(bed.clock.now / 1_000) * 1_000 + 100_000;
    for (const attempt of Object.values(attempts)) expect(await outcomeOf(attempt)).toBe("alice");
    bed.clock.now = end - 1;
    for (const attempt of Object.values(attempts)) expect(await outcomeOf(attempt)).toBe("alice");
    bed.clock.now = end;
    expect(await outcomeOf(attempts.secret)).toBe("unauthenticated");
    expect(await outcomeOf(attempts.signature)).toBe("unauthenticated InvalidAccessKeyId");
  });

  it("gives login tokens that end with it", async () => {
    await keyFor("AK-2", 100);
    const end = Math.floor(bed.clock.now / 1_000) + 100;
    const identity = await bed.identities.withAccessKey("AK-2", SECRET, HERE);
    const { token, expiresAt } = await bed.identities.issueLoginToken(identity);
    expect(expiresAt).toBe(end);
    bed.clock.now = end * 1_000 - 1;
    expect(await outcomeOf(() => bed.identities.withLoginToken(token))).toBe("alice");
    bed.clock.now = end * 1_000;
    expect(await outcomeOf(() => bed.identities.withLoginToken(token))).toBe("unauthenticated");
    expect(
      await outcomeOf(async () => ({ username: (await bed.identities.issueLoginToken(identity)).token })),
    ).toBe("unauthenticated");
  });

  it("leaves the login tokens of other keys as they are", async () => {
    const identity = await bed.identities.withAccessKey("AK-ALICE", "secret of AK-ALICE", HERE);
    const { token } = await bed.identities.issueLoginToken(identity);
    await keyFor("AK-3", 10);
    bed.clock.now += 60_000;
    await keyFor("AK-4", 10);
    expect(await outcomeOf(() => bed.identities.withLoginToken(token))).toBe("alice");
  });
});
