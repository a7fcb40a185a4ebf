// Command lines of compat mode: streams, codes and texts of calicoctl v3.31.4.
import { describe, expect, it } from 'vitest';
import { run } from '../../support/program/world.ts';

const calicoctl = (line: string, env: Record<string, string> = {}) => run(line, { programName: 'calicoctl', env });
const short = 'Usage:\n  calicoctl [options] <command> [<args>...]\n';
const invalid = (line: string) => `Invalid option: '${line}'. Use flag '--help' to read about a specific subcommand.\n`;
const showUsage =
  'Usage:\n  calicoctl ipam show [--ip=<IP> | --show-blocks | --show-borrowed | --show-configuration] [--config=<CONFIG>] [--allow-version-mismatch]\n';

describe('the calicoctl parser', () => {
  it.each([
    ['', '', short],
    ['--bogus', '--bogus', short],
    ['-l', '-l', `-l requires argument\n${short}`],
    ['--log-level', '--log-level', `--log-level requires argument\n${short}`],
    ['--vers', '--vers', short],
  ])('"calicoctl %s" is an invalid command line', async (line, shown, stderr) => {
    expect(await calicoctl(line)).toMatchObject({ code: 1, stdout: invalid(shown), stderr });
  });

  it('calicoctl --version points to the version command', async () => {
    expect(await calicoctl('--version')).toMatchObject({
      code: 0,
      stdout: "Run 'calicoctl version' to see version information.\n",
      stderr: '',
    });
  });

  it('calicoctl refuses an unknown log level', async () => {
    expect(await calicoctl('-l loud version --client')).toMatchObject({
      code: 1,
      stdout: 'Unknown log level: loud, expected one of: \npanic, fatal, error, warn, info, debug.\n',
    });
    expect(await calicoctl('-l DEBUG version --client')).toMatchObject({ code: 0 });
  });

  it('calicoctl shows its help on stderr for an unknown command, on stdout for --help', async () => {
    const unknown = await calicoctl('frob');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(
      /^unknown command: "frob"\nUsage:\n {2}calicoctl \[options\] <command> \[<args>...\]\n/,
    );
    const help = await calicoctl('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(unknown.stderr).toContain(help.stdout);
  });

  it("calicoctl shows usage for a group without a command, and the group's help for an unknown one", async () => {
    const usage = 'Usage:\n  calicoctl ipam <command> [<args>...]\n';
    expect(await calicoctl('ipam')).toMatchObject({ code: 1, stdout: '', stderr: usage });
    for (const line of ['ipam frob', 'ipam --help', 'ipam -h', 'ipam --bogus']) {
      const { code, stdout, stderr } = await calicoctl(line);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(usage);
    }
  });

  it.each([
    ['ipam show --bogus', ''],
    ['ipam show extra', ''],
    ['ipam show --ip=1.2.3.4 --ip=1.2.3.5 x', ''],
    ['ipam show --ip', '--ip requires argument\n'],
    ['ipam show --show', '--show is not a unique prefix: --show-blocks, --show-borrowed, --show-configuration?\n'],
    ['ipam show --ip=1.2.3.4 --show-blocks', ''],
    // What only calictl has does not exist here.
    ['ipam show -o json', ''],
    ['ipam show --datastore /x', ''],
  ])('"%s" prints the usage block of ipam show', async (line, reason) => {
    expect(await calicoctl(line)).toMatchObject({ code: 1, stdout: '', stderr: reason + showUsage });
  });

  it.each([
    'ipam configure',
    'ipam configure --max-blocks-per-host=3',
    'ipam configure --allow-version-mismatch',
    'ipam configure show',
    'ipam configure --strictaffinity=true show',
    'ipam configure --strictaffinity=true --force',
  ])('"%s" prints the usage block of ipam configure', async (line) => {
    expect(await calicoctl(line)).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Usage:\n  calicoctl ipam configure --strictaffinity=<true/false> [--max-blocks-per-host=<number>] [--config=<CONFIG>] [--allow-version-mismatch]\n',
    });
  });

  it.each(['ipam split', 'ipam split 2 4', 'ipam split -2', 'ipam split 2 --dry-run'])(
    '"%s" prints the usage block of ipam split',
    async (line) => {
      expect(await calicoctl(line)).toMatchObject({
        code: 1,
        stdout: '',
        stderr:
          'Usage:\n  calicoctl ipam split <NUMBER> [--cidr=<CIDR>] [--name=<POOL_NAME>] [--config=<CONFIG>] [--allow-version-mismatch]\n',
      });
    },
  );

  it('calicoctl COMMAND -h prints the help of the command, whatever else is on the line', async () => {
    const { code, stdout, stderr } = await calicoctl('get --bogus -h x y');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage:\n  calicoctl get ( (<KIND> [<NAME>...]) |\n');
    expect(await calicoctl('get -h -o')).toMatchObject({ code: 1 });
  });

  it('help separates flags from their descriptions, and wraps descriptions at 80 columns', async () => {
    const { stdout } = await calicoctl('node run --help');
    expect(stdout).toContain('--node-image=<DOCKER_IMAGE_NAME> image of calico-node [default:\n');
    const said = stdout.slice(stdout.indexOf('\nOptions:')).split('\n');
    expect(Math.max(...said.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('help describes what a command does as calicoctl, not as calictl', async () => {
    const { stdout } = await calicoctl('node status --help');
    expect(stdout).toContain('\nDescription:\n  Show BIRD and the BGP peers of this machine.');
  });

  it('usage names kubectl-calico when called as a kubectl plugin', async () => {
    const { stderr } = await run('', { programName: 'kubectl-calico-1.0' });
    expect(stderr).toBe('Usage:\n  kubectl-calico [options] <command> [<args>...]\n');
  });

  it('CALICTL_COMPAT=1 selects the calicoctl parser', async () => {
    expect(await run('--bogus', { env: { CALICTL_COMPAT: '1' } })).toMatchObject({ code: 1, stderr: short });
  });

  it('--allow-version-mismatch is accepted before and after the command', async () => {
    const { code } = await calicoctl('--allow-version-mismatch version --client --allow-version-mismatch');
    expect(code).toBe(0);
  });

  it('connection failures of resource commands are reported on stdout', async () => {
    const why =
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable';
    expect(await calicoctl('get ippool')).toMatchObject({
      code: 1,
      stdout: `Failed to create Calico API client: ${why}\n`,
      stderr: '',
    });
    expect(await calicoctl('ipam show')).toMatchObject({ code: 1, stdout: '', stderr: `${why}\n` });
    expect(await calicoctl('get ippool --config /nope')).toMatchObject({
      code: 1,
      stdout: 'Error reading config file: /nope\n',
      stderr: '',
    });
  });
});
