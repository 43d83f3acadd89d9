# Installs what several gateways run behind and beside, from the packages of a Debian-like system. Where that cannot be, it
# says so and ends well: the tests say themselves that they are skipped.
set -uo pipefail
missing=()
for name in redis-server haproxy nginx; do
  command -v "$name" > /dev/null || [ -x "/usr/sbin/$name" ] || missing+=("$name")
done
[ ${#missing[@]} -gt 0 ] || exit 0
command -v apt-get > /dev/null && [ "$(id -u)" = 0 ] || { echo "NOT INSTALLED, it takes apt-get and root: ${missing[*]}"; exit 0; }
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# Nothing of it is to run as a service here.
policy=/usr/sbin/policy-rc.d
[ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' > "$policy" && chmod +x "$policy" && trap 'rm -f "$policy"' EXIT; }
apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=60 -o Dpkg::Use-Pty=0 "${missing[@]}" > /dev/null ||
  echo "NOT INSTALLED, the packages cannot be had: ${missing[*]}"
exit 0
