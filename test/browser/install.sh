# Installs the browser that the console is tested in, from the packages of a Debian-like system. Where that cannot be, it
# says so and ends well: the tests say themselves that they are skipped.
set -uo pipefail
command -v chromium > /dev/null && exit 0
command -v apt-get > /dev/null && [ "$(id -u)" = 0 ] || { echo 'NOT INSTALLED, it takes apt-get and root: chromium'; exit 0; }
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=60 -o Dpkg::Use-Pty=0 chromium fonts-dejavu-core > /dev/null ||
  echo 'NOT INSTALLED, the packages cannot be had: chromium'
