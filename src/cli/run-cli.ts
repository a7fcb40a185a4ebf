// One command line from arguments to exit code.
import { calicoctlText } from '../commands/calicoctl-errors.ts';
import type { Command, Input, Rendered, View } from '../commands/command.ts';
import { commands, groups } from '../commands/tree.ts';
import { CalictlError, exitCodes, StdoutFailure, UsageError } from '../world/errors.ts';
import type { OutputStream, World } from '../world/world.ts';
import { compatName, isCompat } from './calicoctl/mode.ts';
import { CommandContext } from './context.ts';
import { type ErrorManner, exitFor, isForeseen, isPlainUsageError, printError, safe } from './exit.ts';
import type { Parsed, ParsedCommand } from './parsed.ts';
import { versionAnswer } from './version-fast-path.ts';

async function parsed(argv: readonly string[], world: World, compat: boolean): Promise<Parsed> {
  if (compat) {
    const { parseCompat } = await import('./calicoctl/parser.ts');
    return parseCompat(argv, commands, groups, compatName(world.programName));
  }
  const { parse } = await import('./parser.ts');
  return parse(argv, commands, groups, world.io.stdout.columns);
}

async function print(stream: OutputStream, rendered: Rendered): Promise<void> {
  if (typeof rendered === 'string') {
    if (rendered !== '') await stream.write(rendered);
    return;
  }
  for await (const piece of rendered) await stream.write(piece);
}

/** Commands whose client failures calicoctl prints on stdout. */
const onResources = new Set(['create', 'apply', 'replace', 'patch', 'delete', 'get', 'label']);

function guardPrefix(command: Command, { args }: Input): string {
  if (command.path[0] === 'get') return 'failed to get resources: ';
  return command.path[0] === 'label' ? `failed to get ${args[0]} ${args[1]}, error ` : '';
}

/** What calicoctl does before a command: connect, and compare versions. Errors: CalictlError, StdoutFailure. */
async function guard({ command, input, globals }: ParsedCommand, context: CommandContext): Promise<void> {
  if (!command.guarded || globals.on('allow-version-mismatch')) return;
  let store: Awaited<ReturnType<CommandContext['datastore']>>;
  try {
    store = await context.datastore();
  } catch (error) {
    if (error instanceof StdoutFailure) throw error;
    // The command itself will report it.
    return;
  }
  const { refuseOtherVersions } = await import('./version-guard.ts');
  try {
    await refuseOtherVersions(store, context.world.signal);
  } catch (error) {
    const prefix = guardPrefix(command, input);
    if (!(error instanceof CalictlError) || prefix === '') throw error;
    throw new CalictlError(prefix + error.message, {
      code: error.code,
      cause: error,
    });
  }
}

async function run(parse: ParsedCommand, context: CommandContext, view: View, manner: ErrorManner): Promise<number> {
  const { command, input } = parse;
  const { world, compat } = context;
  const format = command.format(input, compat);
  const render = command.formats[format];
  if (render === undefined) {
    const known = Object.keys(command.formats).join(', ');
    throw new UsageError(`unknown output format '${format}'`, `use one of ${known}`, 'UNKNOWN_FORMAT');
  }
  if (compat) await guard(parse, context);
  const result = await command.run(context, input);
  context.quiet();
  await print(world.io.stdout, await render(result, view));
  for (const error of command.errors?.(result) ?? []) {
    if (compat) await world.io.stderr.write(`${safe(calicoctlText(error))}\n`);
    else await printError(error, world, manner);
  }
  return world.signal.aborted ? exitCodes.interrupted : exitFor(command.exit(result), compat);
}

/** In compat mode an unusable datastore of a resource command is reported on stdout. */
async function clientFailure(error: unknown, path: readonly string[], context: CommandContext): Promise<unknown> {
  if (!context.compat || !onResources.has(path[0] ?? '') || error instanceof StdoutFailure) return error;
  const failed = await context.datastore().then(
    () => false,
    (reason: unknown) => reason === error,
  );
  return failed ? new StdoutFailure(`Failed to create Calico API client: ${calicoctlText(error)}`) : error;
}

/** Runs the command line (without program and script) in the world; answers the exit code. Never rejects. */
export async function runCli(argv: readonly string[], world: World): Promise<number> {
  const { stdout, stderr } = world.io;
  const compat = isCompat(world.programName, world.env);
  const quick = versionAnswer(argv, world.programName, world.env);
  if (quick !== undefined) {
    await stdout.write(quick);
    return exitCodes.ok;
  }

  let parse: Parsed;
  try {
    parse = await parsed(argv, world, compat);
  } catch (error) {
    return printError(error, world, { compat, debug: false });
  }
  if (parse.type === 'text') {
    // calicoctl writes its reason and usage first, then what is for stdout.
    if (parse.stderr !== '') await stderr.write(safe(parse.stderr));
    if (parse.stdout !== '') await stdout.write(parse.stdout);
    return parse.exit;
  }

  const { command, globals } = parse;
  const manner = { compat, debug: globals.on('debug') };
  const colour = stdout.colour && !globals.on('no-color');
  // What goes to a file or a program is not wrapped.
  const view = {
    columns: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
    colour: colour && !compat,
    compat,
  };
  const context = new CommandContext(world, {
    compat,
    globals,
    warns: command.guarded && !compat,
  });
  try {
    return await run(parse, context, view, manner);
  } catch (error) {
    context.quiet();
    if (compat && isPlainUsageError(error)) {
      const { usageBlock } = await import('./calicoctl/usage.ts');
      await stderr.write(usageBlock(command, compatName(world.programName)));
      return exitCodes.failed;
    }
    const known = isForeseen(error) ? error : await context.explained(error);
    return await printError(await clientFailure(known, command.path, context), world, manner);
  } finally {
    await context.close().catch(() => undefined);
  }
}
