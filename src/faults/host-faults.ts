// Faults of a node as a whole: forwarding, rules, packet filters, MTU, Felix.
import type { Fault } from './fault.ts';

export const hostFaults = {
  forwardingOff: {
    id: 'F30',
    title: 'forwarding is off on the node',
    severities: ['error'],
    meaning:
      'Pods of the node reach nothing, not even each other. Forwarding of single interfaces (F02, F31) is not reported in addition.',
    whatToDo:
      'Set it to 1 and find out what resets it (sysctl.d), then restart calico-node: Felix sets it only when it starts.',
  },
  uplinkForwardingOff: {
    id: 'F31',
    title: 'forwarding is off on the uplink of the node',
    severities: ['error'],
    meaning: 'Pods of the node cannot be reached from other nodes; pods of the node reach each other.',
    whatToDo: 'Set it to 1, and find out what resets it.',
  },
  reversePathStrict: {
    id: 'F32',
    title: 'strict rp_filter while nodes disagree about their subnets',
    severities: ['error'],
    meaning:
      'Packets arrive through one interface while the answer would leave through another one (F43), so the kernel drops them.',
    whatToDo: 'Set rp_filter to 2 or 0, and give all Node objects the prefix length of their network (F43).',
  },
  foreignRule: {
    id: 'F35',
    title: 'routing rule sends packets of pods to a table that Calico does not manage',
    severities: ['warning'],
    meaning: 'Their routes are not those that Calico programs.',
    whatToDo: 'Find out what adds the rule, and whether packets of pods are meant to take that table.',
  },
  forwardChainDrops: {
    id: 'F36',
    title: 'chain FORWARD drops packets that Calico marked as accepted',
    severities: ['error'],
    meaning: 'Its policy is DROP, which Docker sets, and no rule accepts the mark: traffic between pods is dropped.',
    whatToDo:
      'Check that Felix runs on the node, and which backend it writes to (iptablesBackend); or keep Docker from setting the policy (ip-forward-no-drop).',
  },
  backendsDiffer: {
    id: 'F37',
    title: 'Calico and kube-proxy use different iptables backends',
    severities: ['error'],
    meaning: 'A packet passes the rules of both backends, so policy or services work only in part.',
    whatToDo:
      'Set iptablesBackend of FelixConfiguration to the backend that kube-proxy uses. Rules left in the other one still apply.',
  },
  nftablesModesDiffer: {
    id: 'F39',
    title: 'only one of Felix and kube-proxy uses nftables',
    severities: ['error'],
    meaning: 'Services do not work correctly.',
    whatToDo: 'Make Felix (nftablesMode) and kube-proxy (mode) both use nftables, or neither.',
  },
  kubeProxyWithEbpf: {
    id: 'F40',
    title: 'kube-proxy is active in eBPF mode',
    severities: ['error'],
    meaning: 'Both Felix and kube-proxy translate the addresses of services, so connections are translated twice.',
    whatToDo: 'Disable kube-proxy, or eBPF mode.',
  },
  mtuWrong: {
    id: 'F74',
    title: 'MTU does not match the settings of Felix',
    severities: ['warning'],
    meaning:
      'The MTU of a tunnel device or of new pods is larger than the network of the host allows, the MTU of a tunnel is smaller than that of pods, or the MTU of a route differs from that of its device. Large packets may be lost.',
    whatToDo: 'Restart calico-node after a change of MTU settings or of the MTU of the host.',
  },
  felixDown: {
    id: 'F110',
    title: 'Felix is not live or not running',
    severities: ['error'],
    meaning:
      "Rules and routes of the node stay as they were when Felix stopped. Detected by Felix's own liveness check, or by the list of processes.",
    whatToDo: 'Read the log of calico-node on the node.',
  },
  nodenameWrong: {
    id: 'F112',
    title: 'CNI plugin is given the wrong node name',
    severities: ['error'],
    meaning: 'Pods are set up, and get their addresses, for the node that /var/lib/calico/nodename names.',
    whatToDo: 'Restart calico-node, which writes the file.',
  },
} as const satisfies Record<string, Fault>;
