#!/bin/bash
# Runs the README's commands on a clean clone of the last commit, in a freshly bootstrapped Debian that
# has only its base system. Needs root, debootstrap and git on this machine.
#
#   scripts/try_fresh_debian.sh                runs scripts/demo.sh and scripts/test.sh in Debian 12;
#   scripts/try_fresh_debian.sh demo           runs only demo.sh; also: test, shell (a shell), none (nothing);
#   scripts/try_fresh_debian.sh 'test unit'    runs test.sh with the argument unit;
#   scripts/try_fresh_debian.sh package        makes the packages, and checks them in a second system;
#   scripts/try_fresh_debian.sh dockerfile     runs the steps of packaging/Dockerfile, without Docker, on Debian's GDAL;
#   scripts/try_fresh_debian.sh --suite trixie ...  uses Debian 13, with its GDAL;
#   scripts/try_fresh_debian.sh --suite sid test 'test wheel'  tests the Python package of dist/ there, too;
#   scripts/try_fresh_debian.sh --root DIR ... keeps the system in DIR, and uses an existing one again.
#
# apt in the new system has the mirror, proxies and options for checking dates of this machine's apt. DEBIAN_MIRROR
# names another mirror. npm and pip have the registry, proxies and certificates of this machine's npm and pip.
set -euo pipefail
export LC_ALL=C.UTF-8
suite=bookworm
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() { echo "try_fresh_debian.sh: $*" >&2; exit 1; }

root=""
keep=no
commands=()
while [ $# -gt 0 ]; do
    case $1 in
        --root) [ $# -ge 2 ] || fail "--root needs a folder"
                root=$(realpath -m "$2"); keep=yes; shift ;;
        --suite) [ $# -ge 2 ] || fail "--suite needs a name"
                 suite=$2; shift ;;
        demo | test | 'test '* | package | dockerfile | shell | none) commands+=("$1") ;;
        *) sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
    esac
    shift
done
[ ${#commands[@]} -gt 0 ] || commands=(demo test)
[ "$(id -u)" = 0 ] || fail "run it as root: it bootstraps a system and enters it with chroot"
for tool in debootstrap git unshare chroot; do
    command -v "$tool" >/dev/null || fail "$tool is missing (apt-get install $tool)"
done

# Prints "suite component URL" for each package index that this machine's apt uses.
indexes() { apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages'; }

# Prints the URL of the Debian mirror: DEBIAN_MIRROR, else apt's mirror for the suite, else apt's mirror for
# another suite.
mirror() {
    if [ -n "${DEBIAN_MIRROR:-}" ]; then echo "$DEBIAN_MIRROR"; return; fi
    indexes | awk -v s="$suite" '$2 == "main" && $1 !~ /-security$/ && ($1 == s || !any) { any = $3 } $1 == s { exit }
                                 END { print any }'
}

bootstrap() {
    local mirror proxy
    mirror=$(mirror)
    [ -n "$mirror" ] || fail "apt names no mirror here: set DEBIAN_MIRROR"
    proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy)
    if [ -n "$proxy" ]; then export http_proxy=$proxy; fi
    debootstrap --variant=minbase "$suite" "$root" "$mirror"
    # Debian's installer and container programs write this file, debootstrap does not.
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
}

# Configures apt in the new system like this machine's apt: package sources, proxies, and options for checking dates.
configure_apt() {
    indexes | awk -v s="$suite" 'index($1, s) == 1 && $2 == "main" { print "deb", $3, $1, $2 }' |
        sort -u >"$root/etc/apt/sources.list.new"
    if [ -z "${DEBIAN_MIRROR:-}" ] && [ -s "$root/etc/apt/sources.list.new" ]; then
        mv "$root/etc/apt/sources.list.new" "$root/etc/apt/sources.list"
    else
        rm "$root/etc/apt/sources.list.new"
        echo "deb $(mirror) $suite main" >"$root/etc/apt/sources.list"
    fi
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date|Languages)\b' \
        >"$root/etc/apt/apt.conf.d/99outside" || true
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

# Configures npm in the new system like npm of this machine.
configure_npm() {
    command -v npm >/dev/null || return 0
    local name value
    for name in registry proxy https-proxy cafile; do
        value=$(cd / && npm config get "$name" 2>/dev/null)
        case $value in null | undefined | "") continue ;; esac
        if [ "$name" = cafile ]; then
            cp -L "$value" "$root/etc/npm-cafile.pem"
            value=/etc/npm-cafile.pem
        fi
        echo "$name=$value"
    done >"$root/root/.npmrc"
}

# Configures pip in the new system like pip of this machine.
configure_pip() {
    command -v pip >/dev/null || return 0
    local name value
    echo "[global]" >"$root/etc/pip.conf"
    for name in index-url extra-index-url proxy cert; do
        value=$(pip config list 2>/dev/null | sed -n "s/^\(global\|:env:\)\.$name='\(.*\)'$/\2/p" | tail -n 1)
        [ -n "$value" ] || continue
        if [ "$name" = cert ]; then
            cp -L "$value" "$root/etc/pip-cert.pem"
            value=/etc/pip-cert.pem
        fi
        echo "$name = $value"
    done >>"$root/etc/pip.conf"
}

# clone_project [FOLDER]: clones the project's last commit into FOLDER of the new system.
clone_project() {
    local folder=$root${1:-/src/gdal-zarr}
    rm -rf "$root/src" "$folder"
    git -c advice.detachedHead=false clone --quiet --no-hardlinks "$project" "$folder"
    rm -rf "$folder/.git"
    # The Python package is made on Debian 12 and tested on every Debian.
    if [ -d "$project/dist" ]; then cp -r "$project/dist" "$folder/"; fi
    if [ -n "$(git -C "$project" status --porcelain)" ]; then
        echo "note: uncommitted changes of $project are not part of this trial"
    fi
}

# inside COMMAND...: runs a command in the new system. Mounts end with the command, so deleting $root can never
# delete files of this machine.
inside() {
    unshare --mount --pid --fork --kill-child env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 \
        bash -euc '
            mount -t proc proc "$0/proc"
            mount -t tmpfs tmpfs "$0/dev" -o mode=755
            for node in null zero full random urandom tty; do
                touch "$0/dev/$node"; mount --bind "/dev/$node" "$0/dev/$node"
            done
            ln -s /proc/self/fd "$0/dev/fd"
            mkdir "$0/dev/shm"; mount -t tmpfs tmpfs "$0/dev/shm" -o mode=1777
            root=$0; exec chroot "$root" "$@"' "$root" "$@"
}

if [ "$keep" = no ]; then
    root=$(mktemp -d)
    first_root=$root
    trap 'rm -rf --one-file-system "$first_root" "$first_root"-*' EXIT
fi
start=$SECONDS
if [ -x "$root/usr/bin/apt-get" ] && [ ! -d "$root/debootstrap" ]; then
    echo "== using the system in $root"
else
    bootstrap
    echo "== bootstrapped $suite in $((SECONDS - start)) s"
fi
configure_apt
configure_npm
configure_pip
clone_project
echo "== $(inside cat /etc/debian_version | sed 's/^/Debian /'), \
$(inside dpkg-query -f '.\n' -W | wc -l) packages, commit $(git -C "$project" rev-parse --short HEAD)"

# Installs and checks the packages in a second new system, which has nothing from the system that built them.
check_packages() {
    local built=$root
    root=$(mktemp -d "$built-clean.XXXX")
    bootstrap
    configure_apt
    clone_project
    cp -r "$built/src/gdal-zarr/build/package" "$root/src/packages"
    inside /src/gdal-zarr/scripts/check_package.sh /src/packages
    rm -rf --one-file-system "$root"
    root=$built
}

# Runs the instructions of packaging/Dockerfile in order. Each stage runs in its own system, which has Debian's GDAL in
# place of the base image; the first is $root.
# Fails at an instruction that this function does not know.
run_dockerfile() {
    local file=$project/packaging/Dockerfile first=$root folder=/ line word rest name from to
    local -A stages=()
    rm -rf "$root/src"
    while IFS= read -r line; do
        case $line in '' | '#'*) continue ;; esac
        read -r word rest <<<"$line"
        echo "== Dockerfile: $line"
        case "$word $rest" in
            'ARG BASE='*) ;;
            'FROM ${BASE}' | 'FROM ${BASE} AS '*)
                if [ ${#stages[@]} -gt 0 ]; then
                    root=$(mktemp -d "$first-stage.XXXX")
                    bootstrap >"$first/bootstrap.log" || fail "debootstrap failed: $first/bootstrap.log"
                    configure_apt
                fi
                name=${#stages[@]}
                case $rest in *' AS '*) name=${rest##* AS } ;; esac
                stages[$name]=$root
                inside sh -ec 'apt-get -q update && apt-get -qy install --no-install-recommends gdal-bin libgdal-dev' </dev/null
                folder=/ ;;
            'COPY . '*) clone_project "${rest#. }" ;;
            'COPY --from='*' '*' '*)
                read -r name from to <<<"${rest#--from=}"
                [ -n "${stages[$name]:-}" ] || fail "the Dockerfile has no stage $name"
                mkdir -p "$root$to"
                cp -a "${stages[$name]}$from/." "$root$to" ;;
            'WORKDIR '*) folder=$rest ;;
            'RUN '*) inside sh -ec "cd '$folder'; $rest" </dev/null ;;
            *) fail "Dockerfile: this script does not know: $line" ;;
        esac
    done < <(sed -e ':join' -e '/\\$/{N;s/\\\n//;bjoin' -e '}' "$file")
    if [ "$root" != "$first" ]; then rm -rf --one-file-system "$root"; fi
    root=$first
}

for command in "${commands[@]}"; do
    start=$SECONDS
    case $command in
        none) ;;
        dockerfile)
            run_dockerfile
            echo "== the steps of packaging/Dockerfile succeeded in $((SECONDS - start)) s" ;;
        shell) inside bash -c 'cd /src/gdal-zarr && exec bash' ;;
        *) read -ra words <<<"$command"
           echo "== scripts/${words[0]}.sh ${words[*]:1} in the fresh system"
           inside "/src/gdal-zarr/scripts/${words[0]}.sh" "${words[@]:1}"
           if [ "${words[0]}" = package ]; then check_packages; fi
           echo "== scripts/${words[0]}.sh succeeded there in $((SECONDS - start)) s" ;;
    esac
done
