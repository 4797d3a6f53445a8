import { VERSION } from "@svc-authorizer/commands/new-program.ts";
import { describe, expect, it } from "vitest";
import { loadServiceConfig } from "../../src/compose/configuration.ts";
import { DATABASE_TYPES, localFolder, openStore } from "../../src/compose/store/backends.ts";
import { configFromObject } from "../../src/config/load.ts";
import { itemNamed } from "../../src/config/table.ts";
import { createLogger } from "../../src/observe/log/logger.ts";
import { openDatabase } from "../../src/store/local/database.ts";
import { LOCAL_FORMATS, migrateDatabase } from "../../src/store/local/formats.ts";
import { ConfigFolder, KEY, problemsOf } from "../config/config-folder.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const LOGGER = createLogger({
  format: "text",
  level: "NONE",
  auditLevel: "NONE",
  outputs: ["="],
  filesKeep: 0,
  fileMaxSizeMb: 0,
});

const CHOICES = itemNamed("database.type").choices ?? [];

describe("database.type", () => {
  it("names only backends that the configuration knows", () => {
    expect(DATABASE_TYPES.filter((type) => !CHOICES.includes(type))).toEqual([]);
    expect(DATABASE_TYPES).toEqual(expect.arrayContaining(["local", "mem"]));
  });

  it("is judged alike by the configuration and by opening the store", async () => {
    const folder = new ConfigFolder();
    const missing = CHOICES.filter((type) => !DATABASE_TYPES.includes(type));
    for (const type of missing) {
      const env = { SVC_AUTH_ENCRYPT_SECRET_KEY: KEY, SVC_DATABASE_TYPE: type };
      const [problem] = problemsOf(() => loadServiceConfig(folder.options({ env })));
      expect(problem).toBe(
        `SVC_DATABASE_TYPE: database.type: ${type} is not available in this build; use ${DATABASE_TYPES.join(" or ")}`,
      );
      const { values } = configFromObject({ "database.type": type }, {}, { requirements: "none" });
      await expect(openStore(values, LOGGER)).rejects.toThrow(`${type} is not available in this build`);
    }
  });

  it("local names the version in the refusal that a program of an earlier format gives", async () => {
    const path = temporaryFolder();
    const { values } = configFromObject(
      { "database.type": "local", "database.local.path": path },
      {},
      { requirements: "none" },
    );
    await (await openStore(values, LOGGER)).store.close();
    const folder = localFolder(values);
    const database = await openDatabase(folder, { syncWrites: true });
    try {
      const before = { current: LOCAL_FORMATS.current - 1, migrations: LOCAL_FORMATS.migrations };
      expect(() => migrateDatabase(database, folder, "svc-authorizer 0.1.0", before, undefined)).toThrow(
        `was written by svc-authorizer ${VERSION}; this program knows`,
      );
    } finally {
      await database.close();
    }
  });
});
