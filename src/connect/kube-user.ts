// A user of a kubeconfig: client-node's, with what it does not know.
import type { User } from '@kubernetes/client-node';

/** A credential plugin as a kubeconfig describes it. What a file says may be of any type: credential-plugin.ts checks it. */
export interface ExecPlugin {
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
  readonly installHint?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | null;
}

/** client-node's user, with the headers for impersonated groups, uid and extra fields. */
export type KubeUser = User & { readonly exec?: ExecPlugin | null; readonly impersonation?: KubeHeaders };

export type KubeHeaders = Readonly<Record<string, string | string[]>>;

/** A token that is read from its file repeatedly, because Kubernetes renews the file. */
export function tokenFileProvider(tokenFile: string): { name: string; config: { tokenFile: string } } {
  return { name: 'tokenFile', config: { tokenFile } };
}
