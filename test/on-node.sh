#!/usr/bin/env bash
# Builds and tests on another Node than this machine's: test/on-node.sh 24 [files of tests, or folders]
set -euo pipefail
version="${1:?which Node? For example: test/on-node.sh 24 test/unit}"
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."

place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
# A test starts this Node as another user, who may not open mktemp's folder.
chmod 755 "$place"
npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$place" "node@$version"
export PATH="$place/node_modules/node/bin:$PATH"
case "$(node --version)" in
  "v$version" | "v$version".*) echo "on Node $(node --version)" ;;
  *)
    echo "Node $version is not to be had: the npm package brought $(command -v node), $(node --version)" >&2
    exit 1
    ;;
esac
npm test -- "$@"
