# Sourced by packaging/run and packaging/test: installs what is missing and builds a preset.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '==> %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "packaging: root or sudo is needed for: $*" >&2
        exit 2
    fi
}

install_packages() {
    local wanted missing=() name
    mapfile -t wanted < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' packaging/packages.txt | awk '{print $1}')
    for name in "${wanted[@]}"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        say "installing ${missing[*]}"
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    fi
}

build() { # PRESET [TARGET...]
    local preset=$1 log
    shift
    if [ ! -f "build/$preset/build.ninja" ]; then
        say "configuring $preset"
        mkdir -p "build/$preset"
        log="build/$preset/configure.log"
        cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    fi
    say "building $preset"
    cmake --build "build/$preset" ${1:+--target "$@"} -- --quiet
}
