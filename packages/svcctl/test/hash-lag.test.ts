/** A transfer waits for the checksum that is behind it, and never for one that has ended. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HashLag } from "@svc-authorizer/svcctl/transfer/hashes/hash-lag.ts";
import { HashThreads } from "@svc-authorizer/svcctl/transfer/hashes/hash-threads.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Computed alone. */
const LARGE = 65 * 1024 * 1024;

async function isOpen(wait: Promise<void> | undefined): Promise<boolean> {
  return (await Promise.race([wait, setTimeout(1, "open")])) === "open";
}

describe("the lag of a checksum", () => {
  it("holds up a transfer until no more than the given bytes are left", async () => {
    const lag = new HashLag(100);
    lag.reached(150);
    expect(lag.atMost(50)).toBeUndefined();
    const wait = lag.atMost(20);
    lag.computed(129);
    expect(await isOpen(wait)).toBe(true);
    lag.computed(130);
    expect(await isOpen(wait)).toBe(false);
    expect(lag.atMost(20)).toBeUndefined();
  });

  it("holds up nothing when the computation has ended", async () => {
    const lag = new HashLag(0);
    lag.reached(1000);
    const wait = lag.atMost(10);
    lag.end();
    expect(await isOpen(wait)).toBe(false);
    expect(lag.atMost(10)).toBeUndefined();
  });

  it("of a large file becomes shorter while a thread computes", async () => {
    const path = join(temporaryFolder(), "file");
    writeFileSync(path, Buffer.alloc(LARGE));
    const threads = new HashThreads();
    const hash = threads.follow(path, LARGE);
    hash.reached(LARGE);
    expect(hash.behind(LARGE)).toBeUndefined();
    await hash.behind(1);
    expect(hash.behind(1)).toBeUndefined();
    expect(await hash.digest()).toBe("0a9739d8f171bb3a216168a2b7376e2e");
    threads.close();
  });

  it("of a file that cannot be read, or is forgotten, holds up nothing", async () => {
    const folder = temporaryFolder();
    const threads = new HashThreads();
    const lost = threads.follow(join(folder, "lost"), LARGE);
    lost.reached(LARGE);
    await lost.behind(1);
    writeFileSync(join(folder, "short"), "short");
    const short = threads.follow(join(folder, "short"), LARGE);
    short.reached(LARGE);
    await short.behind(1);
    await expect(short.digest()).rejects.toThrow("the file became shorter");
    const forgotten = threads.follow(join(folder, "short"), LARGE);
    forgotten.reached(LARGE);
    const wait = forgotten.behind(1);
    forgotten.forget();
    await wait;
    threads.close();
  });
});
