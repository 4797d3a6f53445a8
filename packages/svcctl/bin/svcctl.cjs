#!/usr/bin/env node
"use strict";

require("../../../bin/node-version.cjs")("svcctl");
require("../../../bin/launch.cjs")("packages/svcctl/src/main", []);
