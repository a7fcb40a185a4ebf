// `node diags` as calicoctl has it.
import type { Context } from '../../command.ts';
import { requireCalicoctlMachine } from '../calicoctl-local-host.ts';
import { collectDiagnostics, type Diagnostics, diagnosticsText } from './collection.ts';
import type { CalicoctlDiagsInput } from './command.ts';

export async function run(ctx: Context, { logDir }: CalicoctlDiagsInput): Promise<Diagnostics> {
  requireCalicoctlMachine(ctx, { asRoot: true });
  return collectDiagnostics(ctx, { logDir, progress: ctx.world.io.stdout, noLogsEnd: '' });
}

export const text = diagnosticsText;
