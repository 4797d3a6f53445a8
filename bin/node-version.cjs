"use strict";

// Written in ES5, so that any Node can read it far enough to print the advice.

var WANTED = "24";

var ADVICE = [
  "{program} needs Node.js {wanted} or newer; this is Node.js {found} ({path}).",
  "Install it with your version manager (nvm install {wanted}, fnm install {wanted}, volta install node@{wanted})",
  "or from https://nodejs.org/en/download, then run the same command again.",
  "In a clone of the repository nothing needs installing: npm ci brings its own Node; use npm start or npm run.",
  "",
].join("\n");

/**
 * Stops the process with exit code 1 and advice on stderr when this Node is older than the program needs.
 * @param {string} program the command's name, as the person typed it
 */
module.exports = function requireNodeVersion(program) {
  var found = process.versions.node;
  if (Number(found.split(".")[0]) >= Number(WANTED)) return;
  var advice = ADVICE.split("{program}").join(program).split("{wanted}").join(WANTED);
  process.stderr.write(advice.split("{found}").join(found).split("{path}").join(process.execPath));
  process.exit(1);
};
