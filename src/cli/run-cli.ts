// One command line of calictl from arguments to exit code. Called as calicoctl, calicoctl/run.ts takes over; under the names of
// the CNI plugins main.ts runs cni.ts instead.
import type { Body, View } from '../commands/command.ts';
import { commands, groups } from '../commands/tree.ts';
import { exitCodes } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import { isCompat, isKubectlCompletion } from './calicoctl/mode.ts';
import { CommandContext } from './context.ts';
import { connectionSettings, locateDatastore } from './datastore-location.ts';
import { type GlobalInput, globalFlags } from './global-flags.ts';
import { guardedWorld, ShownPaths } from './guarded-output.ts';
import { inputOf } from './input.ts';
import type { Parsed, ParsedCommand } from './parsed.ts';
import { print } from './print.ts';
import { isForeseen, printError } from './print-error.ts';
import { versionAnswer } from './version-fast-path.ts';

function viewOf({ io: { stdout } }: World, { noColor }: GlobalInput): View {
  return {
    // Output to a file or a program is not wrapped.
    columns: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
    colour: stdout.colour && !noColor,
  };
}

function formatOf(body: Body<unknown, unknown>, input: Readonly<Record<string, unknown>>): string {
  return body.format === undefined ? String(input['output']) : body.format(input);
}

async function run(parsed: ParsedCommand, globals: GlobalInput, context: CommandContext): Promise<number> {
  const { command } = parsed;
  const { world } = context;
  const loading = command.load();
  const input = await inputOf(command, parsed.flags, parsed.args);
  const body = await loading;
  const format = formatOf(body, input);
  const render = body.formats[format];
  if (render === undefined) throw new Error(`${command.path.join(' ')} has no renderer for ${format}`);
  const result = await body.run(context, input);
  context.quiet();
  await print(world.io.stdout, await render(result, viewOf(world, globals)));
  for (const error of body.errors?.(result) ?? []) await printError(error, world, globals.debug);
  return world.signal.aborted ? exitCodes.interrupted : (body.exit?.(result) ?? exitCodes.ok);
}

async function parsedLine(argv: readonly string[], world: World): Promise<Parsed> {
  const { parse } = await import('./parser.ts');
  return parse(argv, commands, groups, world.io.stdout.columns);
}

/** Runs the command line (without program and script) in the world; returns the exit code. Never rejects. */
export async function runCli(argv: readonly string[], unguarded: World): Promise<number> {
  const asCalicoctl = isCompat(unguarded.programName, unguarded.env);
  const paths = new ShownPaths();
  const world = guardedWorld(unguarded, asCalicoctl, paths);
  const { stdout, stderr } = world.io;
  const answer = versionAnswer(argv, world.programName, world.env);
  if (answer !== undefined) {
    await stdout.write(answer);
    return exitCodes.ok;
  }
  if (isKubectlCompletion(world.programName)) {
    const { completeForKubectl } = await import('./complete.ts');
    await completeForKubectl(argv, world);
    return exitCodes.ok;
  }
  if (asCalicoctl) {
    const { runCalicoctl } = await import('./calicoctl/run.ts');
    return runCalicoctl(argv, world);
  }

  if (argv[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    await complete(argv.slice(1), world);
    return exitCodes.ok;
  }

  let parsed: ParsedCommand;
  let globals: GlobalInput;
  try {
    const line = await parsedLine(argv, world);
    if (line.type === 'text') {
      if (line.stderr !== '') await stderr.write(line.stderr);
      if (line.stdout !== '') await stdout.write(line.stdout);
      return line.exit;
    }
    parsed = line;
    globals = (await inputOf({ flags: globalFlags, args: {}, rules: [] }, line.globals)) as GlobalInput;
  } catch (error) {
    return printError(error, world, false);
  }

  const context = new CommandContext(world, {
    locate: () => locateDatastore(globals, world),
    settings: () => connectionSettings(globals, world),
    forPeople: true,
    warns: parsed.command.calicoctl?.guarded === true,
    paths,
  });
  try {
    return await run(parsed, globals, context);
  } catch (error) {
    context.quiet();
    const exit = await printError(isForeseen(error) ? error : await context.explained(error), world, globals.debug);
    return exit === exitCodes.failed ? (parsed.command.failureExit ?? exit) : exit;
  } finally {
    await context.close().catch(() => undefined);
  }
}
