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
