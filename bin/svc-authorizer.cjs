#!/usr/bin/env node
"use strict";

require("./node-version.cjs")("svc-authorizer");
require("./launch.cjs")("src/main");
