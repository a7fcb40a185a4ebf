// The result of calictl cni install as text and JSON.
import type { PlannedFile } from '../../../cni/install/plan.ts';

export interface Installation {
  readonly dryRun: boolean;
  readonly files: readonly PlannedFile[];
  /** The file that the container runtime reads instead of this one, because its name comes first. */
  readonly shadowedBy?: string;
}

const done = { create: 'created', replace: 'replaced', keep: 'unchanged', remove: 'removed', restore: 'restored' };
const planned = {
  create: 'would create',
  replace: 'would replace',
  keep: 'unchanged',
  remove: 'would remove',
  restore: 'would restore',
};

export function installationText({ dryRun, files, shadowedBy }: Installation): string {
  if (files.length === 0) return 'Nothing is installed.\n';
  const verbs = dryRun ? planned : done;
  const width = Math.max(...files.map(({ action }) => verbs[action].length));
  const lines = files.map((file) => `${verbs[file.action].padEnd(width)}  ${file.path}${about(file)}`);
  const note =
    shadowedBy === undefined
      ? []
      : ['', `The container runtime uses ${shadowedBy}, whose name comes first; remove it to use this installation.`];
  return `${[...lines, ...note].join('\n')}\n`;
}

function about({ action, backup, wanted }: PlannedFile): string {
  const notes = [
    ...(wanted?.content.type === 'link' ? [`a link to ${wanted.content.target}`] : []),
    ...(action === 'replace' && backup !== undefined ? [`the previous file is kept as ${backup}`] : []),
    ...(action === 'restore' ? [`from ${backup}`] : []),
  ];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

export function installationJson({ dryRun, files, shadowedBy }: Installation): string {
  const report = {
    apiVersion: 'calictl/v1',
    kind: 'CNIInstallation',
    dryRun,
    files: files.map(({ path, action, backup }) => ({ path, action, backup })),
    shadowedBy,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
