// Names of types in Calico's Go code that calicoctl's decoder prints, by the struct and the field that has them. Types of
// fields that are not here follow from the tables of fields; of a list, the type of its items is here.

const perField: Readonly<Record<string, string>> = {
  'AutoHostEndpointConfig.createDefaultHostEndpoint': 'v3.DefaultHostEndpointMode',
  'BGPConfigurationSpec.bindMode': 'v3.BindMode',
  'BGPConfigurationSpec.communities': 'v3.Community',
  'BGPConfigurationSpec.nodeMeshPassword': 'v3.BGPPassword',
  'BGPConfigurationSpec.prefixAdvertisements': 'v3.PrefixAdvertisement',
  'BGPConfigurationSpec.serviceClusterIPs': 'v3.ServiceClusterIPBlock',
  'BGPConfigurationSpec.serviceExternalIPs': 'v3.ServiceExternalIPBlock',
  'BGPConfigurationSpec.serviceLoadBalancerAggregation': 'v3.ServiceLoadBalancerAggregation',
  'BGPConfigurationSpec.serviceLoadBalancerIPs': 'v3.ServiceLoadBalancerIPBlock',
  'BGPFilterPrefixLengthV4.max': 'int32',
  'BGPFilterPrefixLengthV4.min': 'int32',
  'BGPFilterPrefixLengthV6.max': 'int32',
  'BGPFilterPrefixLengthV6.min': 'int32',
  'BGPFilterRuleV4.action': 'v3.BGPFilterAction',
  'BGPFilterRuleV4.matchOperator': 'v3.BGPFilterMatchOperator',
  'BGPFilterRuleV4.operations': 'v3.BGPFilterOperation',
  'BGPFilterRuleV4.prefixLength': 'v3.BGPFilterPrefixLengthV4',
  'BGPFilterRuleV4.source': 'v3.BGPFilterMatchSource',
  'BGPFilterRuleV6.action': 'v3.BGPFilterAction',
  'BGPFilterRuleV6.matchOperator': 'v3.BGPFilterMatchOperator',
  'BGPFilterRuleV6.operations': 'v3.BGPFilterOperation',
  'BGPFilterRuleV6.prefixLength': 'v3.BGPFilterPrefixLengthV6',
  'BGPFilterRuleV6.source': 'v3.BGPFilterMatchSource',
  'BGPPassword.secretKeyRef': 'v1.SecretKeySelector',
  'BGPPeerSpec.nextHopMode': 'v3.NextHopMode',
  'BGPPeerSpec.numAllowedLocalASNumbers': 'int32',
  'BGPPeerSpec.password': 'v3.BGPPassword',
  'BGPPeerSpec.reversePeering': 'v3.ReversePeering',
  'BGPPeerSpec.sourceAddress': 'v3.SourceAddress',
  'BPFConntrackTimeouts.creationGracePeriod': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.genericTimeout': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.icmpTimeout': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.tcpEstablished': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.tcpFinsSeen': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.tcpResetSeen': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.tcpSynSent': 'v3.BPFConntrackTimeout',
  'BPFConntrackTimeouts.udpTimeout': 'v3.BPFConntrackTimeout',
  'ControllersConfig.loadBalancer': 'v3.LoadBalancerControllerConfig',
  'ControllersConfig.namespace': 'v3.NamespaceControllerConfig',
  'ControllersConfig.policy': 'v3.PolicyControllerConfig',
  'ControllersConfig.serviceAccount': 'v3.ServiceAccountControllerConfig',
  'ControllersConfig.workloadEndpoint': 'v3.WorkloadEndpointControllerConfig',
  'EndpointPort.port': 'uint16',
  'EntityRule.notPorts': 'numorstring.Port',
  'EntityRule.ports': 'numorstring.Port',
  'FelixConfigurationSpec.awsSrcDstCheck': 'v3.AWSSrcDstCheckOption',
  'FelixConfigurationSpec.bpfAttachType': 'v3.BPFAttachOption',
  'FelixConfigurationSpec.bpfConnectTimeLoadBalancing': 'v3.BPFConnectTimeLBType',
  'FelixConfigurationSpec.bpfConntrackMode': 'v3.BPFConntrackMode',
  'FelixConfigurationSpec.bpfConntrackTimeouts': 'v3.BPFConntrackTimeouts',
  'FelixConfigurationSpec.bpfHostNetworkedNATWithoutCTLB': 'v3.BPFHostNetworkedNATType',
  'FelixConfigurationSpec.bpfJITHardening': 'v3.BPFJITHardeningType',
  'FelixConfigurationSpec.floatingIPs': 'v3.FloatingIPType',
  'FelixConfigurationSpec.flowLogsPolicyEvaluationMode': 'v3.FlowLogsPolicyEvaluationModeType',
  'FelixConfigurationSpec.healthTimeoutOverrides': 'v3.HealthTimeoutOverride',
  'FelixConfigurationSpec.iptablesBackend': 'v3.IptablesBackend',
  'FelixConfigurationSpec.iptablesMarkMask': 'uint32',
  'FelixConfigurationSpec.kubeNodePortRanges': 'numorstring.Port',
  'FelixConfigurationSpec.natOutgoingExclusions': 'v3.NATOutgoingExclusionsType',
  'FelixConfigurationSpec.nftablesMarkMask': 'uint32',
  'FelixConfigurationSpec.nftablesMode': 'v3.NFTablesMode',
  'FelixConfigurationSpec.routeTableRange': 'v3.RouteTableRange',
  'FelixConfigurationSpec.routeTableRanges': 'v3.RouteTableIDRange',
  'FelixConfigurationSpec.windowsManageFirewallRules': 'v3.WindowsManageFirewallRulesMode',
  'GlobalNetworkPolicySpec.types': 'v3.PolicyType',
  'IPIPConfiguration.mode': 'v3.EncapMode',
  'IPPoolSpec.ipipMode': 'v3.IPIPMode',
  'IPPoolSpec.vxlanMode': 'v3.VXLANMode',
  'KubeControllersConfigurationSpec.debugProfilePort': 'int32',
  'LoadBalancerControllerConfig.assignIPs': 'v3.AssignIPs',
  'NetworkPolicySpec.types': 'v3.PolicyType',
  'NodeSpec.addresses': 'v3.NodeAddress',
  'NodeSpec.bgp': 'v3.NodeBGPSpec',
  'NodeSpec.interfaces': 'v3.NodeInterface',
  'NodeSpec.orchRefs': 'v3.OrchRef',
  'NodeSpec.wireguard': 'v3.NodeWireguardSpec',
  'QoSControls.egressBandwidth': 'int64',
  'QoSControls.egressBurst': 'int64',
  'QoSControls.egressMaxConnections': 'int64',
  'QoSControls.egressMinburst': 'int64',
  'QoSControls.egressPacketBurst': 'int64',
  'QoSControls.egressPacketRate': 'int64',
  'QoSControls.egressPeakrate': 'int64',
  'QoSControls.ingressBandwidth': 'int64',
  'QoSControls.ingressBurst': 'int64',
  'QoSControls.ingressMaxConnections': 'int64',
  'QoSControls.ingressMinburst': 'int64',
  'QoSControls.ingressPacketBurst': 'int64',
  'QoSControls.ingressPacketRate': 'int64',
  'QoSControls.ingressPeakrate': 'int64',
  'Rule.action': 'v3.Action',
  'StagedGlobalNetworkPolicySpec.stagedAction': 'v3.StagedAction',
  'StagedGlobalNetworkPolicySpec.types': 'v3.PolicyType',
  'StagedKubernetesNetworkPolicySpec.stagedAction': 'v3.StagedAction',
  'StagedNetworkPolicySpec.stagedAction': 'v3.StagedAction',
  'StagedNetworkPolicySpec.types': 'v3.PolicyType',
  'TierSpec.defaultAction': 'v3.Action',
  'WorkloadEndpointPort.hostPort': 'uint16',
  'WorkloadEndpointPort.port': 'uint16',
  'WorkloadEndpointSpec.ipNATs': 'v3.IPNAT',
  'WorkloadEndpointSpec.ports': 'v3.WorkloadEndpointPort',
  'WorkloadEndpointSpec.qosControls': 'v3.QoSControls',
};

/** Lists whose type has a name of its own. */
const namedLists: Readonly<Record<string, string>> = {
  'FelixConfigurationSpec.routeTableRanges': 'v3.RouteTableRanges',
};

/** The field of a struct: `Rule` and `action`. */
export interface GoPlace {
  readonly struct: string;
  readonly field: string;
}

/** The type of a field, or of the items of its list; undefined for those that the tables of fields tell. */
export function goTypeAt(place: GoPlace | undefined): string | undefined {
  return place && perField[`${place.struct}.${place.field}`];
}

/** The type of the list in a field that `goTypeAt` knows. */
export function goListAt({ struct, field }: GoPlace, item: string): string {
  return namedLists[`${struct}.${field}`] ?? `[]${item}`;
}

/** Texts that are never made of unquoted numbers: those of a struct that another one embeds. */
export function isEmbedded(place: GoPlace | undefined): boolean {
  return place?.struct === 'SecretKeySelector' && place.field === 'name';
}

/** The struct that the field's own struct embeds, as the path of the field in errors of 3.32 has it. */
export function embeddedIn(struct: string, field: string): readonly string[] {
  if (struct === 'SecretKeySelector' && field === 'name') return ['LocalObjectReference'];
  return field === 'kind' || field === 'apiVersion' ? (struct === 'OwnerReference' ? [] : ['TypeMeta']) : [];
}
