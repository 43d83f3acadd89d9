# Builds go-ethereum from its Go module, once, in the user's cache. Where there is no Go it says so and ends well: the
# tests say themselves that they are skipped.
set -uo pipefail
version=v1.17.0
folder="${XDG_CACHE_HOME:-$HOME/.cache}/trident/go-ethereum/$version"
[ ! -x "$folder/geth" ] || exit 0
command -v go > /dev/null || { echo "NOT INSTALLED, it takes Go: go-ethereum $version"; exit 0; }
mkdir -p "$folder"
GOBIN="$folder" timeout 1500 go install "github.com/ethereum/go-ethereum/cmd/geth@$version" ||
  echo "NOT INSTALLED, it cannot be built: go-ethereum $version"
