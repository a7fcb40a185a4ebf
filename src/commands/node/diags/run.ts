// What calictl node diags does: collects diagnostics of this machine into one file.
import { jsonDocument } from '../../../output/json-document.ts';
import type { Context } from '../../command.ts';
import { progressStream, requireThisMachine } from '../local-host.ts';
import { collectDiagnostics, type Diagnostics, diagnosticsText } from './collection.ts';
import type { DiagsInput } from './command.ts';

export async function run(ctx: Context, input: DiagsInput): Promise<Diagnostics> {
  requireThisMachine(ctx, { asRoot: true });
  const { logDir } = input;
  return collectDiagnostics(ctx, { logDir, progress: progressStream(ctx, input), noLogsEnd: '\n' });
}

export const formats = {
  text: diagnosticsText,
  json: ({ path }: Diagnostics) => jsonDocument({ kind: 'NodeDiagnostics', path }),
};
