// What the command lines of help and README need before they can be run in a test, and how they end.
import type { Setup } from './command-lines.ts';

const cluster = 'a live cluster: kubectl collects from it';
const bird = 'BIRD 1.6 on this machine';
const ssh = 'a node that SSH reaches';
const machine = 'a node: it reads the machine that it runs on';
const editor = 'a terminal: it opens an editor';
const capture = 'a node on which tcpdump runs';

/** Command lines that cannot be run on the examples, and what they need. They are parsed only. */
export const needs: Readonly<Record<string, string>> = {
  'calictl bird check': bird,
  'calictl bird check node-a --bird /opt/bird/bird': bird,
  'calictl cluster diags': cluster,
  'calictl cluster diags --since 1h --focus-nodes node-a,node-b': cluster,
  'calictl cni install --credentials calico.kubeconfig': machine,
  'calictl cni install --credentials calico.kubeconfig --dry-run': machine,
  'calictl cni install --root /host --template /config/10-calico.conflist --credentials /config/kubeconfig': machine,
  'calictl edit ippool default-pool': editor,
  'calictl edit bgppeer/rack-1 ippool/default-pool': editor,
  'calictl edit -f pool.yaml': editor,
  'calictl node capture default/web-1 --via ssh': capture,
  'calictl node capture default/web-1 --via ssh -c 100 -w web.pcap': capture,
  'calictl node capture default/web-1 --image nicolaka/netshoot': 'a live cluster: it adds a container to a pod',
  'calictl node capture node-a -i eth0 --via ssh -w - -- tcp port 179 | wireshark -k -i -': capture,
  'calictl node checksystem': machine,
  'calictl node diags': machine,
  'calictl node exec node-a -- ip route': 'a node: the recordings hold ip route in other forms only',
  "calictl node exec node-a --via ssh -- sh -c 'dmesg | tail'": ssh,
  'calictl node routes --via ssh -o json': ssh,
  'calictl node run --ip autodetect --as 64513': 'Docker, and a datastore in etcd',
  'calictl node status --via ssh --ssh-user core': ssh,
  'calictl node verify --via local node-a -o json': machine,
  'calictl node repair node-a --via ssh': ssh,
  'calictl node unwire shop/job-4 --via ssh --dry-run': ssh,
  'calictl node unwire shop/job-4 --via ssh': ssh,
  'calictl node unwire --netns web --via local': machine,
  'calictl node wire shop/web --via ssh --dry-run': ssh,
  'calictl node wire shop/web --via ssh': ssh,
  'calictl node wire --netns web --ip 10.65.0.2 --ip fd00:65::2 --via local': machine,
  'calictl snapshot save case-17.tgz --nodes --via ssh --ssh-user core': ssh,
};

/** Command lines that end otherwise than with 0, or need something first. */
export const setups: Readonly<Record<string, Setup>> = {
  // The recordings are older than the reading of BIRD's configuration.
  'calictl bird diff': { exit: 1 },
  'calictl bird diff node-a node-b': { exit: 1 },
  'calictl --datastore case-17.tgz bird diff': {
    before: ['calictl snapshot save case-17.tgz --nodes'],
    exit: 1,
  },
  'calictl ipam assign --node worker-1 --ipv4 --ipv6 --handle pod-1': { cluster: 'with IPv6' },
  'calictl ipam check': { exit: 3 },
  'calictl ipam check -o json': { exit: 3 },
  'calictl ipam check --fix --dry-run': { exit: 3 },
  'calictl ipam check --fix': { exit: 3 },
  'calictl --datastore ./dump ipam check': { exit: 3 },
  'calictl ipam release --handle manual-1': { before: ['calictl ipam assign --node worker-1 --handle manual-1'] },
  'calictl ipam release --from-report leaks.json': { before: ['calictl ipam check --report leaks.json'] },
  'calictl ipam split 4 --name default-pool': { cluster: 'locked', stderr: 'unlock the datastore' },
  'calictl ipam split 2 --cidr 10.60.0.0/18 --yes -o json': { cluster: 'locked', stderr: 'unlock the datastore' },
  'calictl get nodes -w': { isEndless: true, exit: 130, stderr: 'interrupted' },
  'calictl node checksystem -f /boot/config-6.1.0': { exit: 3 },
  'calictl node repair --dry-run': { exit: 3 },
  'calictl node repair --pod default/web-1 --dry-run': { exit: 3 },
  'calictl node routes': { exit: 3 },
  'calictl node routes --datastore ./snapshot': { exit: 3 },
  'calictl node run --dryrun': { env: { DATASTORE_TYPE: 'etcdv3', ETCD_ENDPOINTS: 'https://192.0.2.5:2379' } },
  'calictl node verify': { exit: 3 },
  'calictl node verify node-a --all': { exit: 3 },
  'calictl node verify --pod default/web-1': { exit: 3 },
  'calictl --datastore case-17.tgz node verify': {
    before: ['calictl snapshot save case-17.tgz --nodes'],
    exit: 3,
  },
  'calictl diff -f pool.yaml': { exit: 1 },
  'calictl diff -R -f policies/': { exit: 1 },
  'calictl diff -f pool.yaml -o json': { exit: 1 },
  'calictl delete ippool new-pool': { before: ['calictl create -f pool.yaml'] },
  'calictl delete -f policies/ --skip-not-exists': { before: ['calictl create -f pool.yaml'] },
  'calictl label node worker-1 rack-': { before: ['calictl label node worker-1 rack=r7'] },
  'calictl replace -f pool.yaml': { before: ['calictl create -f pool.yaml'] },
  'calictl policy test node/node-a shop/db --proto tcp --port 5432 -o json': { exit: 3 },
  'calictl wait ippool/legacy-pool --for=delete': { before: ['calictl delete ippool legacy-pool --force --yes'] },
  'calictl wait ippool new-pool --for=create --timeout=5m': { before: ['calictl create -f pool.yaml'] },
  'calictl version --poll 10s': { isEndless: true, exit: 130, stderr: 'interrupted' },
  'node bin/calictl.js --datastore docs/examples/bgp-faults/filtered node status': { exit: 3 },
  'node bin/calictl.js --datastore docs/examples/case-17 node verify': { exit: 3 },
};
