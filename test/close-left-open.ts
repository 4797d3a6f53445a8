/** Runs in each test file: closes what the hooks of the file have opened. */

import { afterAll } from "vitest";
import { closeLeftOpen } from "./closed-after-all.ts";

afterAll(closeLeftOpen);
