/** The programs of a data server that the proofs run against; whoever runs the proofs names them. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Folder with `lakefs` and `lakectl`; for the server's own system tests also `esti.test` and their folder `esti`. */
const FOLDER = process.env["DATA_SERVER_PROGRAMS"];

/** The programs. */
export interface GivenDataServer {
  readonly server: string;
  /** Its own tool. */
  readonly tool: string;
  /** The system tests of that tool, as a program that runs in `testFolder`. */
  readonly tests: string;
  readonly testFolder: string;
}

/**
 * The programs in the folder that `DATA_SERVER_PROGRAMS` names.
 * @returns undefined where the variable is not set
 * @throws Error where the folder has not both programs
 */
export function givenDataServer(): GivenDataServer | undefined {
  if (FOLDER === undefined) return undefined;
  const given = {
    server: join(FOLDER, "lakefs"),
    tool: join(FOLDER, "lakectl"),
    tests: join(FOLDER, "esti.test"),
    testFolder: join(FOLDER, "esti"),
  };
  for (const program of [given.server, given.tool])
    if (!existsSync(program)) throw new Error(`DATA_SERVER_PROGRAMS: there is no ${program}`);
  return given;
}

/** Whether the server's own system tests are among the given programs. */
export function hasOwnTests(given: GivenDataServer | undefined): given is GivenDataServer {
  return given !== undefined && existsSync(given.tests) && existsSync(given.testFolder);
}
