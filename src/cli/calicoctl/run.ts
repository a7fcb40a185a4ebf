// One command line of calicoctl from arguments to exit code: its parser, guard, streams and exit codes.
import { calicoctlText } from '../../commands/calicoctl-errors.ts';
import { commands, groups } from '../../commands/tree.ts';
import { exitCodes, StdoutFailure } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { CommandContext } from '../context.ts';
import { print } from '../print.ts';
import { isForeseen, safe } from '../print-error.ts';
import { calicoctlSettings, locateAsCalicoctl } from './datastore-location.ts';
import { calicoctlExit, isPlainUsageError, printCalicoctlError } from './errors.ts';
import { guard } from './guard.ts';
import { compatName } from './mode.ts';
import { type CalicoctlLine, parseCalicoctl } from './parser.ts';
import { usageBlock } from './usage.ts';

async function run({ face, input, allowsMismatch }: CalicoctlLine, context: CommandContext): Promise<number> {
  const { world } = context;
  const body = await face.load();
  body.check?.(input);
  const { guardPrefix = '' } = face;
  const prefix = typeof guardPrefix === 'string' ? guardPrefix : guardPrefix(input as never);
  if (face.guarded && !allowsMismatch) await guard(context, prefix);
  const result = await body.run(context, input);
  await print(world.io.stdout, body.text(result));
  for (const error of body.errors?.(result) ?? []) await world.io.stderr.write(`${safe(calicoctlText(error))}\n`);
  return world.signal.aborted ? exitCodes.interrupted : calicoctlExit(body.exit?.(result) ?? exitCodes.ok);
}

/** An unusable datastore of a resource command is reported on stdout. */
async function clientFailure(error: unknown, { face }: CalicoctlLine, context: CommandContext): Promise<unknown> {
  if (!face.isResourceCommand || error instanceof StdoutFailure) return error;
  const failed = await context.datastore().then(
    () => false,
    (reason: unknown) => reason === error,
  );
  return failed ? new StdoutFailure(`Failed to create Calico API client: ${calicoctlText(error)}`) : error;
}

/** Runs the command line (without program and script) as calicoctl would; returns the exit code. Never rejects. */
export async function runCalicoctl(argv: readonly string[], world: World): Promise<number> {
  const { stdout, stderr } = world.io;
  const program = compatName(world.programName);
  let line: ReturnType<typeof parseCalicoctl>;
  try {
    line = parseCalicoctl(argv, commands, groups, program);
  } catch (error) {
    return printCalicoctlError(error, world);
  }
  if (line.type === 'text') {
    // calicoctl writes its reason and usage first, then what is for stdout.
    if (line.stderr !== '') await stderr.write(safe(line.stderr));
    if (line.stdout !== '') await stdout.write(line.stdout);
    return line.exit;
  }
  const { connection, command, face } = line;
  const context = new CommandContext(world, {
    locate: () => locateAsCalicoctl(connection, world),
    settings: () => calicoctlSettings(connection, world),
    forPeople: false,
    warns: false,
  });
  try {
    return await run(line, context);
  } catch (error) {
    if (isPlainUsageError(error)) {
      await stderr.write(usageBlock(command, face, program));
      return exitCodes.failed;
    }
    const known = isForeseen(error) || error instanceof StdoutFailure ? error : await context.explained(error);
    return await printCalicoctlError(await clientFailure(known, line, context), world);
  } finally {
    await context.close().catch(() => undefined);
  }
}
