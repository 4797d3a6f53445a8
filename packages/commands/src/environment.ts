/** The environment: the only place of the service that reads it. */
import { homedir } from "node:os";

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process, as they are now. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** Returns the home folder that the variables name, else the one of the system's user. */
export function homeOf(environment: Environment): string {
  const home = environment["HOME"];
  return home === undefined || home === "" ? homedir() : home;
}
