#!/usr/bin/env bash
# Brings the real parts that the test suites talk to: etcd 3.6 and kube-apiserver, built from Go modules, and a browser.
# They land in $KUBEBUILDER_ASSETS, else in the cache folder of the project; what is there already is not built again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
assets=${KUBEBUILDER_ASSETS:-${XDG_CACHE_HOME:-$HOME/.cache}/calictl/parts}
kube=1.34.4
etcd=3.6.4
mkdir -p "$assets"

# A browser for the suites that look at pages. It is no condition: without one they are skipped.
if [ -z "${CHROME_PATH:-}" ] && ! command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing chromium"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium; } >/dev/null ||
      echo "provision: chromium cannot be installed; the suites that need a browser are skipped" >&2
  else
    echo "provision: there is no browser, and only root can install one; the suites that need it are skipped" >&2
  fi
fi

if [ -x "$assets/kube-apiserver" ] && [ -x "$assets/etcd" ]; then
  echo "real parts are in $assets"
  exit 0
fi
if ! command -v go >/dev/null; then
  echo "provision: Go is needed to build etcd and kube-apiserver; without them their suites are skipped" >&2
  exit 1
fi
export GOFLAGS=-mod=mod GOTOOLCHAIN=${GOTOOLCHAIN:-auto} CGO_ENABLED=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ ! -x "$assets/etcd" ]; then
  echo "building etcd $etcd"
  mkdir "$scratch/etcd" && cd "$scratch/etcd"
  go mod init parts/etcd >/dev/null 2>&1
  go get -tool "go.etcd.io/etcd/server/v3@v$etcd"
  go build -trimpath -ldflags '-s -w' -o "$assets/etcd.new" go.etcd.io/etcd/server/v3
  mv "$assets/etcd.new" "$assets/etcd"
fi

if [ ! -x "$assets/kube-apiserver" ]; then
  echo "building kube-apiserver $kube (several minutes the first time)"
  mkdir "$scratch/kube" && cd "$scratch/kube"
  sed "s/@VERSION@/$kube/g; s/@STAGING@/0.${kube#1.}/g" "$here/kube-apiserver.mod" >go.mod
  go mod tidy
  go build -trimpath -o "$assets/kube-apiserver.new" -ldflags \
    "-s -w -X k8s.io/component-base/version.gitVersion=v$kube -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34" \
    k8s.io/kubernetes/cmd/kube-apiserver
  mv "$assets/kube-apiserver.new" "$assets/kube-apiserver"
fi
echo "real parts are in $assets"
