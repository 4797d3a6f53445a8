#!/usr/bin/env bash
# Runs svcctl where the data server's own tests call lakectl: names of variables, the scheme of URIs and the name of the
# product are translated on the way in and out. The tests read both outputs as one.
#
# SVCCTL names the command, such as "node /path/to/packages/svcctl/bin/svcctl.cjs".
set -uo pipefail
args=()
for arg in "$@"; do args+=("${arg//lakefs:\/\//svc:\/\/}"); done
while IFS='=' read -r -d '' name value; do
  case "$name" in LAKECTL_*) export "SVCCTL_${name#LAKECTL_}=${value//lakefs:\/\//svc:\/\/}" ;; esac
done < <(env -0)
# shellcheck disable=SC2086 # the command is several words
$SVCCTL "${args[@]}" 2>&1 | LC_ALL=C sed \
  -e 's#svc://#lakefs://#g' -e 's/svcctl/lakectl/g' -e 's/malformed svc URI: expected [^ \x1b]*/malformed lakefs URI/' \
  -e 's/\bsvc path\b/lakeFS path/' -e 's/find svc reference/find lakefs reference/'
