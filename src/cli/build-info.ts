// Versions that the build writes into the program.

declare const CALICTL_BUILD: { readonly version: string; readonly commit: string } | undefined;

const build = typeof CALICTL_BUILD === 'undefined' ? { version: '0.0.0', commit: 'unbuilt' } : CALICTL_BUILD;

/** `calico` is the release whose behaviour this program follows, `calicoWithV3` where objects are in projectcalico.org/v3. */
export const buildInfo = {
  calictl: `v${build.version}`,
  calico: 'v3.31.4',
  calicoWithV3: 'v3.32.1',
  commit: build.commit,
} as const;
