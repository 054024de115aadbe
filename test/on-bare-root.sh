#!/usr/bin/env bash
# Runs README's commands `npm ci && npm run demo` and `npm ci && npm test` in a root folder that holds only Node, npm, a shell
# and the libraries that they need:
#   test/on-bare-root.sh [root|user] [node version]
# `user` runs them as a user without rights. `npm ci` has the network, the other commands have only loopback. Tests the
# committed files. The script itself needs root, to change the root folder, and `ip` of iproute2.
set -euo pipefail
as="${1:-user}"
version="${2:-$(node -p process.versions.node)}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "$(id -u)" -ne 0 ]; then
  echo 'only root can change the root folder: sudo test/on-bare-root.sh' >&2
  exit 1
fi

root="$(mktemp -d)"
chmod 755 "$root"
leave() {
  for mounted in "$root/proc" "$root/dev/shm"; do umount --lazy "$mounted" 2>/dev/null || true; done
  rm -rf --one-file-system "$root"
}
trap leave EXIT

# Copies a program with the libraries that it loads.
copy() {
  local file library
  file="$(readlink -f "$1")"
  install -D "$file" "$root$2"
  for library in $(ldd "$file" 2>/dev/null | grep -oE '/[^ ]+' | sort -u); do
    [ -e "$root$library" ] || install -D "$(readlink -f "$library")" "$root$library"
  done
}

make_root() {
  mkdir -p "$root"/{dev/shm,etc,home/dev,proc,tmp,usr/bin,usr/lib}
  ln -s usr/bin "$root/bin"
  chmod 1777 "$root/tmp" "$root/dev/shm"
  for device in null zero full random urandom tty; do cp -a "/dev/$device" "$root/dev/"; done
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm"
  copy /bin/sh /usr/bin/sh
  copy "$node" /usr/bin/node
  cp -r "$npm" "$root/usr/lib/npm"
  for name in npm npx; do ln -s "../lib/npm/bin/$name-cli.js" "$root/usr/bin/$name"; done
  # npm's scripts begin with `#!/usr/bin/env node`.
  copy /usr/bin/env /usr/bin/env
  # PostgreSQL refuses to run as root: it needs a user of its own, and root needs a program that becomes that user.
  [ "$as" != root ] || copy "$(command -v setpriv)" /usr/bin/setpriv
  printf 'root:x:0:0::/root:/bin/sh\npostgres:x:999:999::/:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\npostgres:x:999:\ndev:x:1000:\nnogroup:x:65534:\n' >"$root/etc/group"
  # The files for access to the registry: names, certificates, npm's own settings.
  for file in /etc/resolv.conf /etc/hosts /etc/nsswitch.conf /etc/ssl/certs/ca-certificates.crt; do
    [ ! -e "$file" ] || install -D -m 644 "$(readlink -f "$file")" "$root$file"
  done
  # The rest of the C library, which native packages load.
  for library in /lib/*-linux-gnu/lib{nss_dns,nss_files,resolv,rt,util}.so.[0-9]; do
    [ ! -e "$library" ] || install -D "$(readlink -f "$library")" "$root$library"
  done
  npm config get userconfig | xargs -I {} sh -c "[ ! -e '{}' ] || install -m 644 '{}' '$root/home/dev/.npmrc'"
}

programs="$(mktemp -d)"
npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$programs" "node@$version"
node="$programs/node_modules/node/bin/node"
npm="$(dirname "$(readlink -f "$(command -v npm)")")/.."
make_root
rm -rf "$programs"

mkdir "$root/home/dev/paybell"
git archive HEAD | tar -x -C "$root/home/dev/paybell"
chown -R 1000:1000 "$root/home/dev"
if [ "$as" = root ]; then
  user=0:0
  # npm runs the scripts of a package as the owner of its folder.
  chown -R 0:0 "$root/home/dev"
else
  user=1000:1000
fi
echo "on Node $version as $as, with $(ls "$root/usr/bin" | tr '\n' ' ')"
settings=(HOME=/home/dev PATH=/usr/bin:/bin TERM=dumb)
for name in NODE_EXTRA_CA_CERTS NPM_CONFIG_REGISTRY npm_config_registry; do
  [ -z "${!name:-}" ] || settings+=("$name=${!name}")
done
run() {
  chroot --userspec="$user" "$root" /usr/bin/env -i "${settings[@]}" sh -c "cd /home/dev/paybell && $1"
}
run 'npm ci'
# Runs in a network namespace of its own, without the registry and without a database or broker of this machine.
export -f run
unshare --net bash -euc "ip link set lo up; $(declare -p settings root user); run 'npm run demo'; run 'npm test'"
