#!/usr/bin/env bash
# Brings the real parts that the test suites talk to: etcd 3.6, kube-apiserver, kubectl and a stand-in for kubelets, built
# from Go modules; BIRD, SSH and the kernel's network programs, and a browser, by apt. What is built lands in $KUBEBUILDER_ASSETS,
# else in the cache folder of the project; what is there already is not brought again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
assets=${KUBEBUILDER_ASSETS:-${XDG_CACHE_HOME:-$HOME/.cache}/calictl/parts}
kube=1.34.4
etcd=3.6.4
cni_plugins=1.5.1
mkdir -p "$assets"
scratch=$(mktemp -d)
policy=/usr/sbin/policy-rc.d
made_policy=
trap 'rm -rf "$scratch"; [ -z "$made_policy" ] || rm -f "$policy"' EXIT

has() { PATH=$PATH:/usr/sbin:/sbin command -v "$@" >/dev/null; }

# Installs packages; their services do not start, now or later. They are not required: without them suites are skipped.
install() {
  if [ "$(id -u)" != 0 ] || ! has apt-get; then
    echo "provision: $* missing, and only root can install with apt; the suites that need them are skipped" >&2
    return
  fi
  echo "installing $*"
  if [ ! -e "$policy" ]; then
    made_policy=yes
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@"; } >/dev/null ||
    echo "provision: $* cannot be installed; the suites that need them are skipped" >&2
}

# Each program that suites run, its package, and the services that the package brings.
missing=() services=()
while read -r program package brings; do
  if ! has "$program"; then
    missing+=("$package")
    services+=($brings)
  fi
done <<'PROGRAMS'
bird bird bird bird6
sshd openssh-server ssh
ssh openssh-client
tcpdump tcpdump
nft nftables nftables
iptables iptables
ip iproute2
ps procps
ping iputils-ping
sudo sudo
zsh zsh
fish fish
PROGRAMS
[ ${#missing[@]} = 0 ] || install "${missing[@]}"
if has systemctl; then
  for service in "${services[@]}"; do systemctl disable --quiet "$service" 2>/dev/null || true; done
fi

# A browser for the suites that look at pages.
[ -n "${CHROME_PATH:-}" ] || has chromium || has chromium-browser || has google-chrome || has google-chrome-stable ||
  install chromium

kubelet_stamp="$assets/kubelet-stand-in.$(cat "$here"/kubelet/* | sha256sum | cut -c 1-16)-$kube"
if [ -x "$assets/kube-apiserver" ] && [ -x "$assets/kubectl" ] && [ -x "$assets/etcd" ] && [ -x "$assets/host-local" ] &&
  [ -e "$kubelet_stamp" ]; then
  echo "real parts are in $assets"
  exit 0
fi
if ! has go; then
  echo "provision: Go is needed to build etcd, kube-apiserver, kubectl and the kubelet stand-in; without them their suites are skipped" >&2
  exit 1
fi
export GOFLAGS=-mod=mod GOTOOLCHAIN=${GOTOOLCHAIN:-auto} CGO_ENABLED=0

if [ ! -x "$assets/etcd" ]; then
  echo "building etcd $etcd"
  mkdir "$scratch/etcd" && cd "$scratch/etcd"
  go mod init parts/etcd >/dev/null 2>&1
  go get -tool "go.etcd.io/etcd/server/v3@v$etcd"
  go build -trimpath -ldflags '-s -w' -o "$assets/etcd.new" go.etcd.io/etcd/server/v3
  mv "$assets/etcd.new" "$assets/etcd"
fi

if [ ! -x "$assets/host-local" ]; then
  echo "building host-local $cni_plugins"
  mkdir "$scratch/host-local" && cd "$scratch/host-local"
  go mod init parts/host-local >/dev/null 2>&1
  go get -tool "github.com/containernetworking/plugins/plugins/ipam/host-local@v$cni_plugins"
  go build -trimpath -ldflags '-s -w' -o "$assets/host-local.new" github.com/containernetworking/plugins/plugins/ipam/host-local
  mv "$assets/host-local.new" "$assets/host-local"
fi

for program in kube-apiserver kubectl; do
  [ ! -x "$assets/$program" ] || continue
  echo "building $program $kube (several minutes the first time)"
  mkdir -p "$scratch/kube" && cd "$scratch/kube"
  if [ ! -e go.mod ]; then
    sed "s/@VERSION@/$kube/g; s/@STAGING@/0.${kube#1.}/g" "$here/kubernetes.mod" >go.mod
    go mod tidy
  fi
  go build -trimpath -o "$assets/$program.new" -ldflags \
    "-s -w -X k8s.io/component-base/version.gitVersion=v$kube -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34" \
    "k8s.io/kubernetes/cmd/$program"
  mv "$assets/$program.new" "$assets/$program"
done

# Its stamp carries the hash of its source.
if [ ! -e "$kubelet_stamp" ]; then
  echo "building the kubelet stand-in"
  mkdir "$scratch/kubelet" && cd "$scratch/kubelet"
  sed "s/@STAGING@/0.${kube#1.}/g" "$here/kubelet/kubelet.mod" >go.mod
  cp "$here/kubelet/main.go" .
  go build -trimpath -ldflags '-s -w' -o "$assets/kubelet-stand-in.new" .
  mv "$assets/kubelet-stand-in.new" "$assets/kubelet-stand-in"
  rm -f "$assets"/kubelet-stand-in.*-*
  touch "$kubelet_stamp"
fi
echo "real parts are in $assets"
