// The state of Felix from its own check, from runit and from the list of processes; and answers that do not show it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseFelix } from '../../src/node-state/felix.ts';
import { felixProbes, type ProbeOutcome } from '../../src/node-state/probes.ts';
import { isRunning } from '../support/program/processes.ts';
import { until } from '../support/program/until.ts';

const [check = [], service = [], processes = []] = felixProbes.flatMap(({ alternatives }) => alternatives);

function answered(argv: readonly string[], exit: number, stdout = '', stderr = ''): ProbeOutcome {
  return { kind: 'answered', argv, exit, stdout, stderr, truncated: false };
}

describe('parseFelix', () => {
  it.each([
    ['its check succeeds', answered(check, 0), 'live'],
    ['its check fails', answered(check, 1, '', 'calico/node is not ready: felix is not live'), 'not live'],
    ['runit runs it', answered(service, 0, 'run: /etc/service/enabled/felix: (pid 42) 81s\n'), 'running'],
    [
      'runit has stopped it',
      answered(service, 0, 'down: /etc/service/enabled/felix: 3s, normally up\n'),
      'not running',
    ],
    ['a process calico-node', answered(processes, 0, '7 calico-node -felix\n'), 'running'],
    ['an argument -felix', answered(processes, 0, '7 /usr/bin/calico-node -felix\n'), 'running'],
    ['a process calico-felix', answered(processes, 0, '7 bash\n42 calico-felix\n'), 'running'],
    ['no such process', answered(processes, 1), 'not running'],
    ['only processes that name it', answered(processes, 0, '7 vi calico-felix.yaml\n8 sh -c -felix\n'), 'not running'],
  ])('the state of Felix is known when %s', (_what, outcome, value) => {
    expect(parseFelix(outcome)).toEqual({ seen: true, value, argv: outcome.argv });
  });

  it.each([
    [
      'the program is missing',
      answered(check, 127, '', 'sh: calico-node: not found\n'),
      'calico-node exited with code 127: sh: calico-node: not found',
    ],
    ['the check was killed', answered(check, 137), 'calico-node exited with code 137'],
    [
      'runit does not know it',
      answered(service, 1, 'fail: /etc/service/enabled/felix: unable to change to service directory\n'),
      'sv exited with code 1: fail: /etc/service/enabled/felix: unable to change to service directory',
    ],
    [
      'no list',
      answered(processes, 1, '', 'pgrep: unrecognized option: a'),
      'pgrep exited with code 1: pgrep: unrecognized option: a',
    ],
    ['another program', answered(['true'], 0), 'true exited with code 0'],
  ])('Felix is not seen: %s', (_what, outcome, why) => {
    expect(parseFelix(outcome)).toEqual({ seen: false, why, argv: outcome.argv });
  });

  it('Felix is not seen without any answer', () => {
    expect(parseFelix({ kind: 'unanswered', argv: check, reason: 'the connection broke' })).toEqual({
      seen: false,
      why: 'the connection broke',
      argv: check,
    });
  });
});

describe.skipIf(!existsSync('/usr/bin/pgrep') || !existsSync('/bin/bash'))('on this machine (needs pgrep)', () => {
  it.each(['calico-felix', 'calico-node'])(
    'the probe finds a process named %s and shows no other process',
    async (name) => {
      const [program = '', ...args] = processes;
      const felix = spawn('bash', ['-c', `exec -a ${name} sleep 60`], { stdio: 'ignore' });
      const other = spawn('sh', ['-c', `SECRET=hunter2 exec sleep 60 # calico-felix`], { stdio: 'ignore' });
      try {
        await until(() => isRunning(`${name} 60`), 'it runs');
        const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
        expect(parseFelix(answered(processes, status ?? 1, stdout, stderr))).toMatchObject({
          seen: true,
          value: 'running',
        });
        expect(stdout).not.toContain('hunter2');
      } finally {
        felix.kill();
        other.kill();
      }
    },
  );
});
