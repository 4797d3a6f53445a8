#!/usr/bin/env node
"use strict";

require("./node-version.cjs")("svcctl");
require("./launch.cjs")("cli/svcctl/main", []);
