module parts/kube-apiserver

go 1.24.0

tool (
	k8s.io/kubernetes/cmd/kube-apiserver
	k8s.io/kubernetes/cmd/kubectl
)

require k8s.io/kubernetes v@VERSION@

replace (
	k8s.io/api => k8s.io/api v@STAGING@
	k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v@STAGING@
	k8s.io/apimachinery => k8s.io/apimachinery v@STAGING@
	k8s.io/apiserver => k8s.io/apiserver v@STAGING@
	k8s.io/cli-runtime => k8s.io/cli-runtime v@STAGING@
	k8s.io/client-go => k8s.io/client-go v@STAGING@
	k8s.io/cloud-provider => k8s.io/cloud-provider v@STAGING@
	k8s.io/cluster-bootstrap => k8s.io/cluster-bootstrap v@STAGING@
	k8s.io/code-generator => k8s.io/code-generator v@STAGING@
	k8s.io/component-base => k8s.io/component-base v@STAGING@
	k8s.io/component-helpers => k8s.io/component-helpers v@STAGING@
	k8s.io/controller-manager => k8s.io/controller-manager v@STAGING@
	k8s.io/cri-api => k8s.io/cri-api v@STAGING@
	k8s.io/cri-client => k8s.io/cri-client v@STAGING@
	k8s.io/csi-translation-lib => k8s.io/csi-translation-lib v@STAGING@
	k8s.io/dynamic-resource-allocation => k8s.io/dynamic-resource-allocation v@STAGING@
	k8s.io/endpointslice => k8s.io/endpointslice v@STAGING@
	k8s.io/externaljwt => k8s.io/externaljwt v@STAGING@
	k8s.io/kms => k8s.io/kms v@STAGING@
	k8s.io/kube-aggregator => k8s.io/kube-aggregator v@STAGING@
	k8s.io/kube-controller-manager => k8s.io/kube-controller-manager v@STAGING@
	k8s.io/kube-proxy => k8s.io/kube-proxy v@STAGING@
	k8s.io/kube-scheduler => k8s.io/kube-scheduler v@STAGING@
	k8s.io/kubectl => k8s.io/kubectl v@STAGING@
	k8s.io/kubelet => k8s.io/kubelet v@STAGING@
	k8s.io/metrics => k8s.io/metrics v@STAGING@
	k8s.io/mount-utils => k8s.io/mount-utils v@STAGING@
	k8s.io/pod-security-admission => k8s.io/pod-security-admission v@STAGING@
	k8s.io/sample-apiserver => k8s.io/sample-apiserver v@STAGING@
	k8s.io/sample-cli-plugin => k8s.io/sample-cli-plugin v@STAGING@
	k8s.io/sample-controller => k8s.io/sample-controller v@STAGING@
)
