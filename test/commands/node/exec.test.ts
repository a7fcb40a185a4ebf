// calictl node exec: output and exit code of the program, and the errors for a missing node or transport.
import { describe, expect, it } from 'vitest';
import { node } from '../../support/clusters/ipam-state.ts';
import { run } from '../../support/program/world.ts';
import { recordedFolder } from '../../support/recorded/nodes.ts';

const exec = (args: readonly string[], options = {}) =>
  run(['node', 'exec', ...args], { objects: [node('node-a'), node('node-b')], ...options });
const local = ['node-a', '--via', 'local'];

describe('node exec', () => {
  it('node exec passes on output, errors and exit code', async () => {
    const { code, stdout, stderr } = await exec([...local, '--', 'sh', '-c', 'printf out; printf err >&2; exit 7']);
    expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: 'out', stderr: 'err' });
  });

  it('node exec passes on arguments unchanged', async () => {
    const { stdout } = await exec([...local, '--', 'printf', '[%s]', '--via', '$(id)', "it's", '']);
    expect(stdout).toBe("[--via][$(id)][it's][]");
  });

  it('node exec passes on stdin when asked', async () => {
    expect((await exec([...local, '-i', '--', 'cat'], { stdin: 'a\nb' })).stdout).toBe('a\nb');
    expect((await exec([...local, '--', 'cat'], { stdin: 'a\nb' })).stdout).toBe('');
  });

  it('node exec prints JSON for scripts', async () => {
    const { code, stdout } = await exec([...local, '-o', 'json', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'NodeCommand',
      node: 'node-a',
      argv: ['sh', '-c', 'echo out; echo err >&2; exit 3'],
      exit: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
    });
  });

  it.each([[], ['--timeout', '1m']])(
    'node exec passes control characters on to a pipe, and shows them on a terminal: %j',
    async (...flags) => {
      const program = ['--', 'printf', 'a\\033[31mred\\033[0m\\033]0;title\\007\\302\\233H\\tb\\n'];
      const args = [...local, ...flags, ...program];
      expect((await exec(args)).stdout).toBe('a\u001b[31mred\u001b[0m\u001b]0;title\u0007\u009bH\tb\n');
      expect((await exec(args, { terminal: true })).stdout).toBe(
        'a\u001b[31mred\u001b[0m\\u001b]0;title\\u0007\\u009bH\tb\n',
      );
    },
  );

  it('node exec on a snapshot names the commands that are recorded when the asked one is not', async () => {
    const { folder, remove } = recordedFolder([node('node-a')], {
      'node-a': [
        { argv: ['ip', 'route', 'show'], stdout: 'default\n' },
        { argv: ['cat', '/var/lib/calico/mtu'], stdout: '1450\n' },
      ],
    });
    try {
      const { code, stderr } = await run(['node', 'exec', 'node-a', '--datastore', folder, '--', 'uname', '-a'], {});
      expect(code).toBe(1);
      expect(stderr).toContain('the snapshot has no record of uname -a');
      expect(stderr).toContain('Recorded commands: ip route show; cat /var/lib/calico/mtu.');
    } finally {
      remove();
    }
  });

  it('node exec ends the program after --timeout', async () => {
    const { code, stderr } = await exec([...local, '--timeout', '300ms', '--', 'sleep', '3600']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'calictl: node-a: no answer from sleep within 0.3 seconds (NODE_TIMEOUT)\n' +
        'hint: Allow more time with --timeout, or find out what keeps the node busy.\n',
    );
  });

  it('node exec accepts a timeout that is longer than a timer can be', async () => {
    const { code, stdout } = await exec([...local, '--timeout', '100000000h', '--', 'printf', 'out']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'out' });
  });

  it.each([
    [['node-x', '--via', 'local', '--', 'true'], 1, 'node-x'],
    [['node-a', '--via', 'local'], 2, 'no command to run'],
    [['node-a', '--via', 'pigeon', '--', 'true'], 2, 'invalid transport for --via: pigeon'],
    [['node-a', '--via', 'netns', '--', 'true'], 1, "network namespace 'node-a' not found"],
    [['node-a', '--via', 'local', '--timeout', 'soon', '--', 'true'], 2, 'invalid duration for --timeout: soon'],
    [['node-a', '--via', 'local', '--', 'no-such-program'], 127, 'no-such-program'],
  ])('node exec %j exits %i', async (args, code, text) => {
    const ran = await exec(args);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(text);
  });
});
