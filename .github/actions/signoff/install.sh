#!/usr/bin/env bash
# Installs a release of signoff on a runner with Debian or Ubuntu, from the repository that the action is of.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# apt-get reads the package as a user without rights.
chmod 755 "$folder"
cd "$folder"
package=signoff_${VERSION/-/.}-1_$(dpkg --print-architecture).deb
from=$REPOSITORY_URL/releases/download/v$VERSION
curl -fsSL --remote-name-all "$from/$package" "$from/SHA256SUMS"
grep -F "  $package" SHA256SUMS | sha256sum --check --strict
sudo apt-get install -y --no-install-recommends "./$package"
signoff --version
