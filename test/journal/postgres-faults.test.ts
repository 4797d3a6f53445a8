import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/journal/engine.ts";
import { openPostgresEngine, type PostgresOptions } from "../../src/journal/engines/postgres.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { troubleInWords } from "../../src/store/trouble.ts";
import { cleanUp, newFolder, start, writeConfig } from "../end-to-end/program.ts";
import { freePort } from "../free-port.ts";
import { openNode } from "./bed.ts";
import { hasProgram } from "./has-program.ts";
import { canMount, mountRoom } from "./mounted-room.ts";
import { withPooler } from "./pooler.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "./postgres-cluster.ts";
import { put, read } from "./put-and-read.ts";

describe.skipIf(postgresBin() === undefined)("PostgreSQL in trouble", () => {
  let cluster: PostgresCluster;
  let database: string;
  let warnings: string[];
  let opened: { close(): Promise<void> }[];
  beforeAll(async () => {
    cluster = await startPostgres();
    // The first line that fits decides; the others of the cluster trust everybody.
    const rules = join(cluster.data, "pg_hba.conf");
    const host = "all stranger,reader,outsider 127.0.0.1/32";
    writeFileSync(rules, `host ${host} scram-sha-256\n${readFileSync(rules, "utf8")}`);
    for (const role of ["stranger", "reader"])
      await cluster.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right'`);
    await cluster.query("SELECT pg_reload_conf()");
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    database = await cluster.newDatabase();
    warnings = [];
    opened = [];
  });
  afterEach(async () => {
    for (const one of opened) await one.close();
  });

  const open = async (connectionString: string, more: Partial<PostgresOptions> = {}): Promise<Engine> => {
    const engine = await openPostgresEngine({
      connectionString,
      maxOpenConnections: 5,
      maxIdleConnections: 5,
      connectionMaxLifetimeMs: 300_000,
      statementTimeoutMs: 2_000,
      warn: (message) => void warnings.push(message),
      ...more,
    });
    opened.push(engine);
    return engine;
  };
  const node = async (engine: Engine): Promise<JournalStore> => {
    const store = await openNode(engine, { commitTimeoutMs: 2_000 });
    // The node closes its engine.
    opened[opened.indexOf(engine)] = store;
    return store;
  };
  const as = (user: string, password = "right"): string => database.replace("test@", `${user}:${password}@`);
  const sqlIn = (sql: string) => cluster.query(sql, database.split("/").at(-1));

  it("connections that may live for months are used again", async () => {
    const engine = await open(database, { connectionMaxLifetimeMs: 2_592_000_000 });
    const client = new pg.Client(database);
    await client.connect();
    const ids = async () => {
      await engine.floor();
      await delay(50);
      const sql = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()";
      return (await client.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid).sort();
    };
    const before = await ids();
    expect(await ids()).toEqual(before);
    await client.end();
    expect(before.length).toBeGreaterThan(1);
  });

  describe("at the start, says what to do:", () => {
    it("a wrong password", async () => {
      const refused = open(as("stranger", "wrong-secret"));
      await expect(refused).rejects.toMatchObject({ code: "unavailable" });
      await expect(refused).rejects.toThrow(
        "user or password is wrong; check database.postgres.connection_string",
      );
      await expect(refused).rejects.not.toThrow(/wrong-secret/);
    });

    it("a database that does not exist", async () => {
      await expect(open(`${database}_not`)).rejects.toThrow(/does not exist/);
    });

    it("nobody at the address", async () => {
      await expect(open(`postgres://test@127.0.0.1:${await freePort()}/x`)).rejects.toThrow(
        /nothing answers at the address in database.postgres.connection_string \(ECONNREFUSED\)/,
      );
    });

    it("a user who may not create tables: prints the statements, which suffice", async () => {
      const refused = await open(as("stranger")).catch((error: Error) => error);
      expect((refused as Error).message).toContain(
        "the user may not create the tables; have them created and granted:\n",
      );
      const [, statements] = (refused as Error).message.split("granted:\n");
      await sqlIn(statements!);
      const store = await node(await open(as("stranger")));
      await put(store, "a");
      // The connection for notifications, made meanwhile, casts doubt on the log: then the next attempt has none.
      await vi.waitFor(() => store.checkpoint(), 60_000);
      expect(await read(store, "a")).toBe("x");
    });

    it("a user who may only read: prints the grants, which suffice", async () => {
      await open(database);
      await sqlIn("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
      const refused = await open(as("reader")).catch((error: Error) => error);
      expect((refused as Error).message).toMatch(/lacks rights on the tables; have them granted:\nGRANT /);
      await sqlIn((refused as Error).message.split("granted:\n")[1]!);
      await open(as("reader"));
    });

    it("something else at the address, which closes the connection", async () => {
      const server = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      try {
        await expect(open(`postgres://test@127.0.0.1:${port}/x`)).rejects.toThrow(
          /closed the connection: check that database.postgres.connection_string leads to a PostgreSQL/,
        );
      } finally {
        server.close();
      }
    });

    it("TLS that the server does not offer", async () => {
      await expect(open(`${database}?sslmode=verify-full`)).rejects.toThrow(/offers no TLS: turn ssl on/);
    });

    it("fsync off", async () => {
      await cluster.query("ALTER SYSTEM SET fsync = off");
      await cluster.query("SELECT pg_reload_conf()");
      await delay(200);
      await expect(open(database)).rejects.toThrow(/fsync is off.*set fsync = on/);
      await cluster.query("ALTER SYSTEM RESET fsync");
      await cluster.query("SELECT pg_reload_conf()");
      await delay(200);
      await open(database);
    });

    it("a clock that is an hour off", async () => {
      const real = Date.now;
      Date.now = () => real() + 3_600_000;
      try {
        await open(database);
      } finally {
        Date.now = real;
      }
      expect(warnings).toEqual([expect.stringMatching(/is 3600 s ahead of that of the database.*NTP/)]);
    });
  });

  describe("while it runs, says what to do and goes on once it is done:", () => {
    const refused = (store: JournalStore) => {
      let number = 0;
      return () => put(store, `k${number++}`).then(String, (error: Error) => error.message);
    };

    it("a right that was taken away", async () => {
      await open(database);
      const tables = "ALL TABLES IN SCHEMA public";
      await sqlIn(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO reader`);
      const store = await node(await open(as("reader")));
      await put(store, "before");
      await sqlIn(`REVOKE INSERT ON ${tables} FROM reader`);
      const error = await put(store, "after").catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: "unavailable",
        message: "Nothing was changed: the database refuses the credentials or rights of this service.",
      });
      expect(await read(store, "before")).toBe("x");
      await sqlIn(`GRANT INSERT ON ${tables} TO reader`);
      await expect.poll(() => put(store, "after").catch(() => 0)).toBe(2);
    });

    it("a password that was changed", async () => {
      await open(database);
      await sqlIn("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader");
      const store = await node(await open(as("reader")));
      await put(store, "before");
      await cluster.query("ALTER ROLE reader PASSWORD 'another'");
      await cluster.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
      try {
        await expect.poll(refused(store)).toMatch(/refuses the credentials/);
        expect(store.trouble?.()).toMatchObject({ kind: "access", isReadable: false });
        expect(await read(store, "before")).toBe("x");
      } finally {
        await cluster.query("ALTER ROLE reader PASSWORD 'right'");
      }
      await expect.poll(refused(store)).toMatch(/^[0-9]+$/);
    });
  });

  it("a node says what is wrong, since when and until when, and that it is over", async () => {
    const store = await node(await open(database, { statementTimeoutMs: 1_000 }));
    await put(store, "before");
    expect(store.trouble?.()).toBeUndefined();
    const name = database.split("/").at(-1);
    const leave =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc-authorizer'";
    const attempt = () => put(store, "k").then(String, (error: Error) => error.message);
    await cluster.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await cluster.query(leave);
    await expect.poll(attempt).toMatch(/database is read-only/);
    await expect.poll(() => store.trouble?.()).toMatchObject({ kind: "read_only", isReadable: true });
    expect(troubleInWords(store.trouble!()!, Date.now())).toMatch(
      /^The database is read-only since \S+Z\. Decisions go on; changes are refused\.$/,
    );
    await cluster.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await cluster.query(leave);
    await expect.poll(attempt).toMatch(/^[0-9]+$/);
    await expect.poll(() => store.trouble?.()).toBeUndefined();
    cluster.freeze();
    try {
      await expect.poll(() => store.trouble?.()?.kind).toBe("away");
      expect(troubleInWords(store.trouble!()!, Date.now())).toMatch(
        /^The database cannot be reached since \S+Z\. Decisions go on from this node's copy until \S+Z; changes are refused\.$/,
      );
    } finally {
      cluster.thaw();
    }
    await expect.poll(() => store.trouble?.()).toBeUndefined();
  });

  it("raises synchronous_commit for its own connections, whatever the database's default is", async () => {
    await cluster.query(`ALTER DATABASE ${database.split("/").at(-1)} SET synchronous_commit = off`);
    await open(database);
  });

  it("closes connections that are idle beyond the configured number", async () => {
    const engine = await open(database, { maxIdleConnections: 1 });
    await Promise.all(Array.from({ length: 5 }, () => engine.floor()));
    const sql =
      "SELECT 1 / (count(*) = 1)::int FROM pg_stat_activity WHERE application_name = 'svc-authorizer'";
    await expect.poll(() => sqlIn(`${sql} AND datname = current_database()`)).toBeUndefined();
  });

  it.skipIf(!hasProgram("openssl"))("an untrusted certificate is refused, a named one is not", async () => {
    const files = join(cluster.data, "..", "tls");
    mkdirSync(files);
    const [key, certificate] = [join(files, "key.pem"), join(files, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const form = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
    execFileSync("openssl", ["req", ...form, "-keyout", key, "-out", certificate, ...subject], {
      stdio: "ignore",
    });
    for (const path of [files, key, certificate]) cluster.own(path);
    await cluster.query(`ALTER SYSTEM SET ssl_key_file = '${key}'`);
    await cluster.query(`ALTER SYSTEM SET ssl_cert_file = '${certificate}'`);
    await cluster.query("ALTER SYSTEM SET ssl = on");
    await cluster.query("SELECT pg_reload_conf()");
    await delay(300);
    const secure = `${database.replace("127.0.0.1", "localhost")}?sslmode=verify-full`;
    await expect(open(secure)).rejects.toThrow(/certificate of the server is not accepted.*sslrootcert=FILE/);
    await open(`${secure}&sslrootcert=${certificate}`);
    await expect(open(`${database}?sslmode=verify-full&sslrootcert=${certificate}`)).rejects.toThrow(
      /the host as the certificate does/,
    );
  });

  it.skipIf(!canMount())(
    "a full disk refuses changes, saying so; reads go on, and changes once there is room",
    async () => {
      const room = join(cluster.data, "..", "room");
      mkdirSync(room);
      mountRoom(room, "size=24m");
      try {
        cluster.own(room);
        await cluster.query(`CREATE TABLESPACE small LOCATION '${room}'`);
        await cluster.query("CREATE DATABASE crowded TABLESPACE small");
        const engine = await open(database.replace(/[^/]*$/, "crowded"));
        const store = await node(engine);
        let acknowledged = 0;
        let refusal: Error | undefined;
        for (; refusal === undefined && acknowledged < 1_000; ) {
          const value = Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString("base64");
          refusal = await put(store, `k${acknowledged}`, value.repeat(10)).then(
            () => {
              acknowledged += 1;
              return undefined;
            },
            (error: Error) => error,
          );
        }
        expect(refusal).toMatchObject({
          code: "unavailable",
          message: "Nothing was changed: the database has no room.",
        });
        expect(await read(store, "k0")).toBeDefined();
        expect(store.revision).toBe(acknowledged);
        execFileSync("mount", ["-o", "remount,size=64m", room]);
        await expect.poll(() => put(store, "after").catch(() => 0)).toBe(acknowledged + 1);
        for (const one of opened.splice(0)) await one.close();
        await cluster.query("DROP DATABASE crowded WITH (FORCE)");
        await cluster.query("DROP TABLESPACE small");
      } finally {
        execFileSync("umount", ["-l", room]);
        rmSync(room, { recursive: true });
      }
    },
  );

  it("a server that hangs: a service ends nevertheless", async () => {
    const folder = newFolder();
    const config = writeConfig(folder, {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "database.type": "postgres",
      "database.postgres.connection_string": database,
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
    });
    const program = await start(["--config", config], folder);
    cluster.freeze();
    try {
      expect(await program.end()).toBe(0);
    } finally {
      cluster.thaw();
      cleanUp();
    }
  });

  it("a server that hangs: changes are answered truly, then refused at once, and later go on", async () => {
    const store = await node(await open(database, { statementTimeoutMs: 1_000 }));
    await put(store, "before");
    cluster.freeze();
    let hanging = "";
    try {
      // Unknown where the change was sent; where it needed a connection first, none was made and nothing was sent.
      hanging = await put(store, "hanging").then(
        () => "done",
        (error: { code: string }) => error.code,
      );
      expect(["outcome_unknown", "unavailable"]).toContain(hanging);
      await expect
        .poll(() => put(store, "later").catch((error: { code: string }) => error.code))
        .toBe("unavailable");
      expect(await read(store, "before")).toBe("x");
    } finally {
      cluster.thaw();
    }
    await expect
      .poll(() =>
        put(store, "after").then(
          () => "done",
          (error: { code: string }) => error.code,
        ),
      )
      .toBe("done");
    if (hanging === "unavailable") expect(await read(store, "hanging")).toBeUndefined();
  });

  it("a standby is refused, naming what to write into the configuration", async () => {
    await cluster.stop();
    appendFileSync(join(cluster.data, "standby.signal"), "");
    cluster.own(join(cluster.data, "standby.signal"));
    await cluster.start();
    try {
      await expect(open(database)).rejects.toThrow(
        "it is a standby: name the primary in database.postgres.connection_string",
      );
    } finally {
      await cluster.stop();
      rmSync(join(cluster.data, "standby.signal"));
      await cluster.start();
    }
  });

  describe.skipIf(!hasProgram("pgbouncer"))("behind a pooler in transaction mode", () => {
    const pooled = (settings: string, act: (connectionString: string) => Promise<void>) =>
      withPooler(cluster, database, settings, async (connectionString) => {
        try {
          await act(connectionString);
        } finally {
          for (const one of opened.splice(0)) await one.close();
        }
      });

    it("that refuses the options of a connection, says which to let pass", async () => {
      await pooled("", async (connectionString) => {
        await expect(open(connectionString)).rejects.toThrow(/ignore_startup_parameters = /);
      });
    });

    it("warns that no notification comes through, and follows by polling", async () => {
      const settings =
        "ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, options";
      await pooled(settings, async (connectionString) => {
        const first = await node(await open(connectionString));
        const second = await node(await open(connectionString));
        await put(first, "a", "through the pooler");
        await expect.poll(() => read(second, "a")).toBe("through the pooler");
        await expect
          .poll(() => warnings)
          .toContainEqual(expect.stringContaining("no notifications come through from PostgreSQL"));
      });
    });

    it("that drops the option, with a database that does not wait for its disk, is refused", async () => {
      await cluster.query(`ALTER DATABASE ${database.split("/").at(-1)} SET synchronous_commit = off`);
      const settings =
        "ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, options";
      await pooled(settings, async (connectionString) => {
        await expect(open(connectionString)).rejects.toThrow(/synchronous_commit is off.*ALTER ROLE/);
      });
    });
  });
});
