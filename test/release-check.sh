#!/usr/bin/env bash
# `npm run release:check`: everything that a release must pass, in about an hour. It also runs each night, with CI=true.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true

step='start'
finish() {
  status=$?
  if [ "$status" -eq 0 ]; then echo 'release check: passed'; else echo "release check: \"$step\" ended with status $status"; fi
}
trap finish EXIT

run() {
  step="$*"
  echo "release check: $step"
  "$@"
}

run .ci/run
# `npm run check` takes the types from the linter's compiler; this compiler makes the build.
run npx tsc -p tsconfig.json
run npx tsc -p web/tsconfig.json
# The pictures of the docs show this release.
run npm run screenshots -- --check
run npm run test:slow --ignore-scripts
for node in 20.19 22 24; do run test/on-node.sh "$node"; done
for user in user root; do run test/on-bare-root.sh "$user"; done
# This builds first: the last build was made with the Node of another test.
run npm run chaos
