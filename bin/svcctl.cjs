#!/usr/bin/env node
"use strict";

require("./node-version.cjs")("svcctl");
require("./launch.cjs")("packages/svcctl/src/main", []);
