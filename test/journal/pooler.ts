/** PgBouncer between the service and a cluster. */

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../free-port.ts";
import type { PostgresCluster } from "./postgres-cluster.ts";

/**
 * Runs a pooler in transaction mode around `act`, which gets the connection string of the database through it.
 * @param settings further lines of its configuration
 */
export async function withPooler(
  cluster: PostgresCluster,
  database: string,
  settings: string,
  act: (connectionString: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const folder = join(cluster.data, "..", `pooler-${port}`);
  mkdirSync(folder);
  const file = join(folder, "pgbouncer.ini");
  const name = database.split("/").at(-1);
  writeFileSync(
    file,
    `[databases]\n${name} = host=127.0.0.1 user=test port=${cluster.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n${settings}\n`,
  );
  for (const path of [folder, file]) cluster.own(path);
  const pooler = spawn("pgbouncer", ["-q", file], { stdio: "ignore", ...cluster.user });
  try {
    await expect.poll(() => answers(port)).toBe(true);
    await act(`postgres://test@127.0.0.1:${port}/${name}`);
  } finally {
    pooler.kill("SIGKILL");
    await new Promise((resolve) => pooler.once("exit", resolve));
  }
}

/** Whether somebody listens at a port. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket
      .once("error", () => resolve(false))
      .once("connect", () => {
        socket.destroy();
        resolve(true);
      });
  });
}
