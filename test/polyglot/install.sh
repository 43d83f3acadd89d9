# Installs what the clients in Go and Python need and the machine lacks, from the packages of a Debian-like system; those
# in Java and Rust use a JDK, Maven and Rust where the machine has them.
# Where that cannot be, it says so and ends well: the clients say themselves what they are skipped for.
set -uo pipefail
command -v protoc > /dev/null || packages='protobuf-compiler libprotobuf-dev'
command -v go > /dev/null || packages="${packages-} golang-go"
python3 -c 'import ensurepip' 2> /dev/null || packages="${packages-} python3-venv"
[ -n "${packages-}" ] || exit 0
command -v apt-get > /dev/null && [ "$(id -u)" = 0 ] || { echo "NOT INSTALLED, it takes apt-get and root: $packages"; exit 0; }
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of words
apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=60 -o Dpkg::Use-Pty=0 $packages > /dev/null ||
  echo "NOT INSTALLED, the packages cannot be had: $packages"
