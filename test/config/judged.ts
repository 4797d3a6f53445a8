/** The judgement of a configuration that differs from a good one in what a test gives. */
import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { KEY, problemsOf } from "./config-folder.ts";

/** A configuration that is complete and gives no warning. */
export const BASE = {
  "database.type": "mem",
  "auth.encrypt.secret_key": KEY,
  "authorizer.user_listen_address": "127.0.0.1:0",
};

/** The problems of a configuration, one text each. */
export const problems = (overrides: ConfigObject): readonly string[] => {
  try {
    configFromObject(overrides, BASE);
    return [];
  } catch {
    return problemsOf(() => configFromObject(overrides, BASE));
  }
};

/** The warnings of a configuration, one text each. */
export const warnings = (overrides: ConfigObject) =>
  configFromObject(overrides, BASE).warnings.map(formatProblem);
