#!/bin/sh
# Starts svc-authorizer in a container. With GENERATE_SECRETS=true (docker-compose.yml sets it) the secrets that
# are not given are generated once, kept on the data volume with mode 600, and read from there afterwards.
set -eu

secrets="${SECRETS_FOLDER:-/data/secrets}"

# secret NAME: prints the secret of that name, generating it the first time.
secret() {
  file="$secrets/$1"
  if [ ! -s "$file" ]; then
    mkdir -p -m 700 "$secrets"
    # Written beside and renamed: a start that was killed half-way leaves no half secret.
    (umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$file.new" && mv "$file.new" "$file")
    echo "docker-entrypoint: generated $file" >&2
  fi
  cat "$file"
}

if [ "${GENERATE_SECRETS:-false}" = true ]; then
  if [ -z "${SVC_AUTH_ENCRYPT_SECRET_KEY:-}" ]; then
    SVC_AUTH_ENCRYPT_SECRET_KEY="$(secret encrypt-secret-key)"
    export SVC_AUTH_ENCRYPT_SECRET_KEY
  fi
  if [ -z "${SVC_AUTH_API_TOKEN:-}" ]; then
    SVC_AUTH_API_TOKEN="$(secret api-token)"
    export SVC_AUTH_API_TOKEN
  fi
fi

exec svc-authorizer "$@"
