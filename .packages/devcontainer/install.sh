#!/bin/sh
# Installs signoff into a development container. Runs as root while the container's image is made.
set -eu

case "$(uname -m)" in
x86_64) machine=x86_64 sum_gnu=@SHA256_X86_64@ sum_musl=@SHA256_X86_64_MUSL@ ;;
aarch64 | arm64) machine=aarch64 sum_gnu=@SHA256_AARCH64@ sum_musl=@SHA256_AARCH64_MUSL@ ;;
*)
    echo "signoff: there is no build for $(uname -m)" >&2
    exit 1
    ;;
esac
if ldd --version 2>&1 | grep -qi musl; then libc=musl sum=$sum_musl; else libc=gnu sum=$sum_gnu; fi
name=signoff-@VERSION@-$machine-unknown-linux-$libc

if ! command -v curl >/dev/null && ! command -v wget >/dev/null; then
    if command -v apt-get >/dev/null; then
        apt-get update && apt-get install -y --no-install-recommends ca-certificates curl
    elif command -v apk >/dev/null; then
        apk add --no-cache ca-certificates curl
    elif command -v dnf >/dev/null; then
        dnf install -y curl
    fi
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
if command -v curl >/dev/null; then
    curl -fsSL -o archive "@DOWNLOAD@/$name.tar.gz"
else
    wget -q -O archive "@DOWNLOAD@/$name.tar.gz"
fi
echo "$sum  archive" | sha256sum -c - >/dev/null
tar -xzf archive
cd "$name"
put() { mkdir -p "$(dirname "$2")" && cp "$1" "$2"; }
put signoff /usr/local/bin/signoff
put signoff.1 /usr/local/share/man/man1/signoff.1
put completions/signoff.bash /usr/share/bash-completion/completions/signoff
put completions/_signoff /usr/local/share/zsh/site-functions/_signoff
put completions/signoff.fish /usr/share/fish/vendor_completions.d/signoff.fish
put LICENSE /usr/local/share/doc/signoff/LICENSE
put THIRD-PARTY.txt /usr/local/share/doc/signoff/THIRD-PARTY.txt
signoff --version
