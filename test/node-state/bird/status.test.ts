// `show status` of BIRD 1.6.8: recordings, other versions by hand, errors, and other texts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { birdProblem } from '../../../src/node-state/bird/answer.ts';
import { parseBirdStatus } from '../../../src/node-state/bird/status.ts';
import {
  answerOf,
  beginnings,
  damaged,
  invented,
  problemOf,
  recording,
  recordings,
} from '../../support/recorded/recordings.ts';

fc.configureGlobal({ seed: 20260101 });

const plain = recording('birdc', 'show-status.v4.txt');

describe('parseBirdStatus', () => {
  it('all lines of a BIRD status are read', () => {
    expect(answerOf(parseBirdStatus(plain))).toEqual({
      version: '1.6.8',
      routerId: '10.90.0.1',
      serverTime: '2026-11-29 14:26:38',
      lastReboot: '2026-11-29 14:25:55',
      lastReconfiguration: '2026-11-29 14:25:55',
      gracefulRestart: undefined,
      message: 'Daemon is up and running',
    });
  });

  it('a BIRD restart in progress is read', () => {
    const status = answerOf(parseBirdStatus(recording('birdc', 'show-status.gr-recovery.v4.txt')));
    expect(status.gracefulRestart).toEqual({ waitingFor: 3, timer: '216/240' });
    expect(status.lastReboot).toBe('2026-11-29 14:24:25');
    expect(status.message).toBe('Daemon is up and running');
  });

  it('the line about a restricted BIRD session is ignored', () => {
    expect(answerOf(parseBirdStatus(recording('birdc', 'show-status.restricted.txt'))).lastReboot).toBe(
      '2026-11-29 14:36:51',
    );
  });

  it('a BIRD status may have CR LF, no banner and another version', () => {
    const text = plain.replace('BIRD 1.6.8 ready.\n', '').replace('BIRD 1.6.8', 'BIRD v0.3.3+birdv1.6.8');
    expect(answerOf(parseBirdStatus(text.replaceAll('\n', '\r\n'))).version).toBe('v0.3.3+birdv1.6.8');
  });

  it('a BIRD status shows that BIRD is being configured or shut down', () => {
    const text = plain.replace('Daemon is up and running', 'Reconfiguration in progress');
    expect(answerOf(parseBirdStatus(text)).message).toBe('Reconfiguration in progress');
  });

  it('absent lines of a BIRD status are undefined, unknown ones are listed as skipped', () => {
    const parsed = parseBirdStatus('BIRD 2.0.12 ready.\nBIRD 2.0.12\nHostname is node-a\n');
    expect(parsed).toEqual({
      ok: true,
      value: {
        version: '2.0.12',
        routerId: undefined,
        serverTime: undefined,
        lastReboot: undefined,
        lastReconfiguration: undefined,
        gracefulRestart: undefined,
        message: undefined,
      },
      skipped: ['Hostname is node-a'],
    });
  });

  it.each([
    ['', 'no line "BIRD <version>"'],
    ['BIRD 1.6.8 ready.\n', 'no line "BIRD <version>": BIRD 1.6.8 ready.'],
    ['sh: birdcl: not found\n', 'no line "BIRD <version>": sh: birdcl: not found'],
    [recording('birdc', 'show-memory.v4.txt'), 'no line "BIRD <version>": BIRD 1.6.8 ready.'],
    [recording('birdc', 'raw.show-status.v4.txt'), 'no line "BIRD <version>": 0001 BIRD 1.6.8 ready.'],
  ])('a BIRD status that is not understood: %j', (text, problem) => {
    expect(problemOf(parseBirdStatus(text))).toBe(problem);
  });

  it('a damaged BIRD status never yields values that are not in it', () => {
    const holds = (text: string): void => {
      const parsed = parseBirdStatus(text);
      if (!parsed.ok) return;
      const { gracefulRestart, ...texts } = parsed.value;
      expect(invented(text, [...Object.values(texts), gracefulRestart?.timer])).toEqual([]);
    };
    for (const text of [plain, recording('birdc', 'show-status.gr-recovery.v4.txt')]) beginnings(text).forEach(holds);
    fc.assert(fc.property(damaged([plain, recording('birdc', 'show-status.gr-recovery.v4.txt')]), holds));
  });
});

describe('birdProblem', () => {
  it.each([
    ['error-no-protocol.txt', 'Mesh_10_9_9_9 is not a protocol'],
    ['error-restricted.txt', 'Access denied'],
    ['error-syntax.txt', "No such command. Press `?' for help."],
    ['configure-check-error.txt', 'bird.cfg:18:10 syntax error'],
    ['show-route-nonexistent.v4.txt', 'Network not in table'],
    [
      'error-no-socket.txt',
      'Unable to connect to server control socket (/var/run/calico/bird.ctl): No such file or directory',
    ],
  ])('the error in %s is found', (name, problem) => {
    expect(birdProblem(recording('birdc', name))).toBe(problem);
  });

  it('a real BIRD answer is not an error', () => {
    const answers = recordings('birdc').filter(([name]) => name.startsWith('show-') && !name.includes('nonexistent'));
    expect(answers.length).toBeGreaterThan(60);
    expect(answers.filter(([, text]) => birdProblem(text) !== undefined)).toEqual([]);
  });

  it('a description in a BIRD answer is not mistaken for an error', () => {
    expect(birdProblem('BIRD 1.6.8 ready.\n  Description:    is not a protocol\n')).toBeUndefined();
  });
});
