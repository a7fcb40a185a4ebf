module parts/kubelet

go 1.24.0

require (
	k8s.io/apimachinery v@STAGING@
	k8s.io/client-go v@STAGING@
	k8s.io/kubelet v@STAGING@
)
