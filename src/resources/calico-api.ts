// The APIs in which clusters keep Calico's objects.

export const v3ApiVersion = 'projectcalico.org/v3';
export const customResourceGroup = 'crd.projectcalico.org';
export const customResourceApi = 'crd.projectcalico.org/v1';

/**
 * The API in which a datastore keeps Calico's objects: custom resources that only Calico reads, or (since Calico 3.32) the
 * API that people see, served by CRDs of its own (docs/reference/api-groups.md).
 */
export type CalicoApi = typeof customResourceApi | typeof v3ApiVersion;
