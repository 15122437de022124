# Shared by the scripts: what must be installed, and how a build folder is made. Source it after `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian and Ubuntu packages that the build needs; python3 is for the lints, git for nothing but the history.
build_packages=(g++ cmake ninja-build python3 libfmt-dev libgtest-dev libgmock-dev librapidcheck-dev libsqlite3-dev
                libcli11-dev nlohmann-json3-dev)
# And what scripts/check needs beside them.
check_packages=(clang-format-14 graphviz)

# need_packages NAME...: installs what is missing as root, else says the one command that does and stops.
need_packages() {
  command -v dpkg-query >/dev/null || return 0  # not Debian or Ubuntu: cmake says what is missing
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) == *" installed" ]] || missing+=("$package")
  done
  (( ${#missing[@]} )) || return 0
  if (( EUID != 0 )); then
    echo "error: packages are missing; run: sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 2
  fi
  echo "installing ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get -qq update >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# build FOLDER TARGET [CMAKE OPTION...]: configures and builds; quiet unless it fails.
build() {
  local folder=$1 target=$2 log
  shift 2
  mkdir -p "$folder"
  log=$folder/build.log
  if ! { cmake -S "$root" -B "$folder" -G Ninja "$@" && ninja -C "$folder" "$target"; } >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "error: the build failed; all of it is in $log" >&2
    exit 2
  fi
}
