import { describe, expect, it } from "vitest";
import { secretsIn, textOf } from "./repository.ts";
import { parseUnitFile } from "./unit-file.ts";

const text = textOf("deploy/systemd/svc-authorizer.service");
const unit = parseUnitFile(text);
const service = (name: string) => unit.get("Service")?.get(name)?.at(-1);

describe("the systemd unit", () => {
  it("has its three sections and is started at boot", () => {
    expect([...unit.keys()]).toEqual(["Unit", "Service", "Install"]);
    expect(unit.get("Install")?.get("WantedBy")).toEqual(["multi-user.target"]);
  });

  it("runs the published program with a configuration file", () => {
    expect(service("Type")).toBe("exec");
    expect(service("ExecStart")).toMatch(/^svc-authorizer run --config \/etc\/svc\/\S+\.yaml$/);
    expect(service("ExecReload")).toBe("kill -HUP $MAINPID");
    expect(service("EnvironmentFile")).toBe("-/etc/svc/authorizer.env");
  });

  it("starts again after a failure, but not after a faulty configuration (exit code 2)", () => {
    expect(service("Restart")).toBe("on-failure");
    expect(service("RestartPreventExitStatus")).toBe("2");
  });

  it("waits longer for a stop than the service takes to finish what is in flight", () => {
    expect(Number(service("TimeoutStopSec"))).toBeGreaterThanOrEqual(20);
    expect(Number(service("LimitNOFILE"))).toBeGreaterThanOrEqual(65536);
  });

  it("bounds its memory, and leaves none of it in a dump", () => {
    expect(service("LimitCORE")).toBe("0");
    expect(service("MemoryMax")).toMatch(/^[1-9]\d*G$/);
  });

  it("keeps the store in the state folder that systemd makes for it, readable by nobody else", () => {
    const folder = service("StateDirectory");
    expect(service("StateDirectoryMode")).toBe("0700");
    expect(service("UMask")).toBe("0077");
    expect(unit.get("Service")?.get("Environment")).toContain(`SVC_DATABASE_LOCAL_PATH=/var/lib/${folder}`);
  });

  it("runs as a user of its own, without privileges and without the rest of the machine", () => {
    expect(service("User")).toBe("svc-authorizer");
    expect(service("CapabilityBoundingSet")).toBe("");
    expect(service("ProtectSystem")).toBe("strict");
    const on = ["NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables"];
    for (const name of [...on, "ProtectControlGroups", "RestrictNamespaces", "RestrictSUIDSGID"]) {
      expect(service(name), name).toBe("yes");
    }
  });

  it("leaves the engine's compiler working", () => {
    expect(service("MemoryDenyWriteExecute")).toBeUndefined();
  });

  it("holds no secret", () => {
    expect(secretsIn(text.replaceAll(/^#.*/gm, ""))).toEqual([]);
  });
});
