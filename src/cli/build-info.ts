// Versions that the build writes into the program.

declare const CALICTL_BUILD: { readonly version: string; readonly commit: string } | undefined;

const build = typeof CALICTL_BUILD === 'undefined' ? { version: '0.0.0', commit: 'unbuilt' } : CALICTL_BUILD;

/** `calico` is the release whose behaviour this program follows. */
export const buildInfo = {
  calictl: `v${build.version}`,
  calico: 'v3.31.4',
  commit: build.commit,
} as const;
