/** `svcctl metastore` against bytes that a server of Hive's interface answered. */

import { compareColumns, differenceLines } from "@svc-authorizer/svcctl-metastore/differences.ts";
import {
  inRepository,
  ofSymlinks,
  onBranch,
  withoutDbfs,
} from "@svc-authorizer/svcctl-metastore/locations.ts";
import type { Table } from "@svc-authorizer/svcctl-metastore/metastore-model.ts";
import { movedTable } from "@svc-authorizer/svcctl-metastore/relocate.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { svcctl } from "../../svcctl/test/run-svcctl.ts";
import { HIVE_TALKS, playHive } from "./hive-player.ts";

describe("a Hive metastore", () => {
  it.each(HIVE_TALKS.map((one, index) => ({ ...one, title: `${index + 1}: ${one.args.join(" ")}` })))(
    "$title",
    async ({ args, code, stdout, stderr, exchanges }) => {
      const strange: string[] = [];
      const first = await playHive(
        exchanges.filter((one) => one.server === "first"),
        strange,
      );
      const second = await playHive(
        exchanges.filter((one) => one.server === "second"),
        strange,
      );
      onTestFinished(() => {
        for (const { close } of [first, second]) close();
      });
      const filled = args.map((arg) =>
        arg.replaceAll("{first}", first.address).replaceAll("{second}", second.address),
      );
      const env = { SVCCTL_METASTORE_TYPE: "hive", SVCCTL_METASTORE_HIVE_URI: first.address };
      const ran = await svcctl(filled, { env });
      const placed = (text: string) =>
        text.replaceAll(first.address, "{first}").replaceAll(second.address, "{second}");
      expect(strange).toEqual([]);
      expect({ code: ran.code, stdout: placed(ran.stdout), stderr: placed(ran.stderr) }).toEqual({
        code,
        stdout,
        stderr,
      });
      expect([first.left, second.left]).toEqual([[], []]);
    },
  );

  it("that is not there, or is of no kind, is named", async () => {
    const copy = ["metastore", "diff", "--from-schema", "a", "--from-table", "b"];
    const none = await svcctl(copy);
    expect(none.stderr).toBe("unknown type, expected hive or glue got: \nError executing command.\n");
    const wrong = await svcctl([...copy, "--from-client-type", "hive", "--metastore-uri", "nowhere"]);
    expect(wrong.stderr).toContain('invalid address of a metastore: "nowhere", expected host:port');
    const gone = await svcctl([...copy, "--from-client-type", "hive", "--metastore-uri", "127.0.0.1:1"]);
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot reach the metastore at 127.0.0.1:1"),
    });
  });
});

describe("locations", () => {
  it.each([
    [onBranch("s3a://repo/main/tables/t", "dev"), "s3a://repo/dev/tables/t"],
    [onBranch("s3a://repo/main", "dev"), "s3a://repo/dev/"],
    [inRepository("s3://bucket/path/to/t", "repo", "main"), "s3://repo/main/path/to/t"],
    [ofSymlinks("s3a://repo/main/t", "s3://links/x"), "s3://links/x/repo/main/t"],
    [withoutDbfs("dbfs:/mnt/t", "s3a://bucket/"), "s3a://bucket/mnt/t"],
    [withoutDbfs("s3a://repo/main/t", "s3a://bucket/"), "s3a://repo/main/t"],
  ])("%s", (made, expected) => {
    expect(made).toBe(expected);
  });

  it.each(["relative/path", "file:/user/hive", ""])("%j has no host", (location) => {
    expect(() => onBranch(location, "dev")).toThrow("location should be schema://host/path");
  });

  it("of tables of Spark SQL are among the parameters; its placeholder stays unless it is to be fixed", () => {
    const serde = { name: "", library: "", parameters: new Map([["path", "s3a://repo/main/t"]]) };
    const location = "s3a://repo/main/t-__PLACEHOLDER__";
    const table = {
      parameters: new Map([["spark.sql.sources.provider", "parquet"]]),
      storage: { location, serde },
    } as unknown as Table;
    const relocate = (text: string) => onBranch(text, "dev");
    const to = { schema: "s", table: "t" };
    const move = (fixPlaceholder: boolean) =>
      movedTable(table, { to, serde: "t", relocate, symlinks: false, fixPlaceholder }).storage;
    expect(move(false).location).toBe(location);
    expect(move(true).location).toBe("s3a://repo/dev/t");
    expect(move(false).serde.parameters.get("path")).toBe("s3a://repo/dev/t");
  });
});

describe("differences", () => {
  it("are marked and ordered by name", () => {
    const column = (name: string, type = "int") => ({ name, type, comment: "" });
    const found = compareColumns(
      [column("b"), column("a"), column("c")],
      [column("c", "text"), column("d"), column("a")],
    );
    expect(differenceLines(found, ({ name }) => name)).toEqual(["+ b", "~ c", "- d"]);
  });
});
