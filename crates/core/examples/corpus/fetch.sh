#!/usr/bin/env bash
# Fetches the packages that the corpus report reads: DIR/NAME/VERSION/... for each.
#
#   fetch.sh DIR [LIST]
#
# LIST has a line per package: cargo|npm|pip, name, versions in order. Only the registries'
# own clients are used, and nothing that is fetched is run.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
list=${2:-$(dirname "$0")/packages.txt}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fetch_cargo() {
    local project=$scratch/project
    rm -rf "$project" && mkdir -p "$project/src"
    printf '[package]\nname = "x"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n"%s" = { version = "=%s", default-features = false }\n' \
        "$1" "$2" > "$project/Cargo.toml"
    : > "$project/src/lib.rs"
    (cd "$project" && CARGO_HOME=$scratch/cargo cargo fetch --quiet --target x86_64-unknown-linux-gnu)
    cp -r "$scratch"/cargo/registry/src/*/"$1-$2" "$3"
}

fetch_npm() {
    mkdir -p "$3"
    (cd "$scratch" && tar -xzf "$(npm pack --silent --ignore-scripts "$1@$2")" -C "$3" --strip-components 1)
}

fetch_pip() {
    mkdir -p "$3"
    pip download --quiet --no-deps --only-binary :all: --dest "$scratch/wheel" "$1==$2"
    python3 -m zipfile -e "$scratch"/wheel/*.whl "$3"
    rm -rf "$scratch/wheel"
}

while read -r client name versions; do
    [[ -z $client || $client == \#* ]] && continue
    for version in $versions; do
        local_name=${name//\//__}
        place=$dir/$local_name/$version
        [[ -d $place ]] && continue
        mkdir -p "$dir/$local_name"
        "fetch_$client" "$name" "$version" "$place.part" && mv "$place.part" "$place" || echo "no $name $version" >&2
    done
done < "$list"
