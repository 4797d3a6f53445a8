/** The places of programs that wait for a person to type their code (spec/sign-in §1). */

import { afterEach, expect, it, vi } from "vitest";
import { DeviceRequests } from "../../src/sign-in/device-requests.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";
import { openedEach } from "../opened.ts";

const opened = openedEach(() => openTestDirectory());
const TEN_MINUTES_MS = 600_000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("the places of an address are free again in time where the clock is set back", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const identities = { issueLoginToken: () => Promise.reject(new Error("nobody confirms")) };
  const devices = new DeviceRequests({ directory: opened.directory, identities });
  const begin = () => devices.begin({ source: "192.0.2.1", host: "laptop" }, "192.0.2.1");
  for (let count = 0; count < 8; count++) await begin();
  await expect(begin()).rejects.toMatchObject({ code: "unavailable" });
  vi.setSystemTime(Date.now() - 3_600_000);
  const monotonic = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => monotonic() + TEN_MINUTES_MS);
  expect(await begin()).toMatchObject({ seconds: 600 });
});

it("the places of requests that were answered are free, also of all, whichever process gave the tokens", async () => {
  const { directory } = opened;
  await directory.users.create({ username: "ann" });
  const { userId } = await directory.sessions.get("ann");
  const identities = { issueLoginToken: async () => ({ token: "t", expiresAt: 0 }) as never };
  const [here, elsewhere] = [0, 1].map(() => new DeviceRequests({ directory, identities })) as [
    DeviceRequests,
    DeviceRequests,
  ];
  const begin = (place: number) => here.begin({ source: "192.0.2.1", host: "laptop" }, `192.0.2.${place}`);
  const waiting = [];
  for (let count = 0; count < 256; count++) waiting.push(await begin(count >> 3));
  await expect(begin(0)).rejects.toMatchObject({ code: "unavailable" });
  await expect(begin(99)).rejects.toMatchObject({ code: "unavailable" });
  const [first, , , , , , , , other] = waiting;
  for (const { userCode, deviceCode } of [first, other] as (typeof waiting)[number][]) {
    expect(await elsewhere.answer(userCode, { username: "ann", userId })).toBe(true);
    expect(await elsewhere.token(deviceCode, "192.0.2.1")).toMatchObject({ username: "ann" });
  }
  expect(await begin(0)).toMatchObject({ seconds: 600 });
  // Of another source, all are looked at, at most once a second.
  await vi.waitFor(() => begin(99), { timeout: 60_000 });
  await expect(begin(99)).rejects.toMatchObject({ code: "unavailable" });
});
