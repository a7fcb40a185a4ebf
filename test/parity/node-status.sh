# Runs in mount, network and process namespaces of its own: states of a node, and what both programs say of each.
# Arguments: the reference, node, calictl.js, the daemon stand-in, the folder for results.
set -eu
reference=$1 node=$2 calictl=$3 daemon=$4 results=$5
mount -t tmpfs tmpfs /run
mkdir -p /run/calico /run/bird /run/netns /var/run/calico
ip link set lo up

ours() { CALICTL_COMPAT=1 "$node" "$calictl" node status; }
# What a session is at may change between the two calls: tried again until both agree, or twenty times.
both() {
  for _ in $(seq 20); do
    code=0; "$reference" node status > "$results/$1.ref.out" 2> "$results/$1.ref.err" || code=$?
    echo "$code" > "$results/$1.ref.code"
    code=0; ours > "$results/$1.our.out" 2> "$results/$1.our.err" || code=$?
    echo "$code" > "$results/$1.our.code"
    if cmp -s "$results/$1.ref.out" "$results/$1.our.out"; then return; fi
  done
}
until_true() {
  for _ in $(seq 200); do if eval "$1"; then return; fi; sleep 0.05; done
  echo "not within 10 s: $1" >&2
  exit 1
}
named() { bash -c "exec -a '$1' sleep infinity" & }

both nothing
named calico-node
both no-bird

ip link add uplink type veth peer name far
ip netns add peer
ip link set far netns peer
ip addr add 10.9.9.1/24 dev uplink
ip addr add fd00:9::1/64 dev uplink nodad
ip link set uplink up
ip -n peer addr add 10.9.9.2/24 dev far
ip -n peer addr add fd00:9::2/64 dev far nodad
ip -n peer link set far up
bgp() { echo "protocol bgp $1 { local as 64512; neighbor $2 as 64512; connect delay time 1; connect retry time 1; ${3:-} }"; }
{
  echo 'router id 10.9.9.1; protocol device {} protocol kernel { export none; }'
  bgp Mesh_10_9_9_2 10.9.9.2
  bgp Node_10_9_9_3_port_1790 '10.9.9.3 port 1790' 'passive on;'
  bgp Global_10_9_9_4 10.9.9.4 'disabled;'
  bgp Local_Workload_10_9_9_5 10.9.9.5 'passive on;'
  bgp Global_10_9_9_2_port_1 '10.9.9.2 port 1'
} > /run/bird.cfg
{ echo 'router id 10.9.9.2; protocol device {}'; bgp back 10.9.9.1 'passive on;'; } > /run/peer.cfg
{ echo 'router id 10.9.9.1; protocol device {}'; bgp Mesh_fd00_9__2 fd00:9::2; } > /run/bird6.cfg
{ echo 'router id 10.9.9.2; protocol device {}'; bgp back fd00:9::1 'passive on;'; } > /run/peer6.cfg
ip netns exec peer bird -c /run/peer.cfg -s /run/peer.ctl -P /run/peer.pid
ip netns exec peer bird6 -c /run/peer6.cfg -s /run/peer6.ctl -P /run/peer6.pid
bird -c /run/bird.cfg -s /var/run/calico/bird.ctl -P /run/bird.pid
until_true 'birdc -s /run/calico/bird.ctl show protocols | grep -q "Mesh_10_9_9_2 .*Established"'
until_true 'birdc -s /run/calico/bird.ctl show protocols | grep -q "Global_10_9_9_2_port_1 .*refused"'
# The other daemons have these names too, in the list of all processes.
kill "$(cat /run/peer6.pid)"
until_true '! kill -0 "$(cat /run/peer6.pid)" 2> /dev/null'
both bird-only
ip netns exec peer bird6 -c /run/peer6.cfg -s /run/peer6.ctl -P /run/peer6.pid
both no-socket
bird6 -c /run/bird6.cfg -s /run/bird/bird6.ctl -P /run/bird6.pid
until_true 'birdc -s /run/bird/bird6.ctl show protocols | grep -q "Mesh_fd00_9__2 .*Established"'
both both-families
cp /run/bird6.cfg /run/none.cfg
echo 'router id 10.9.9.1; protocol device {}' > /run/bird6.cfg
birdc -s /run/bird/bird6.ctl configure > /dev/null
until_true '! birdc -s /run/bird/bird6.ctl show protocols | grep -q Mesh'
both no-peers
kill "$(cat /run/bird.pid)"
until_true '! kill -0 "$(cat /run/bird.pid)" 2> /dev/null'
for reply in heading line closes silent; do
  "$node" "$daemon" /var/run/calico/bird.ctl "$reply" &
  stand_in=$!
  until_true '[ -S /run/calico/bird.ctl ]'
  both "$reply"
  kill "$stand_in"
  rm -f /run/calico/bird.ctl
done
