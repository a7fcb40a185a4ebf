// A snapshot folder written by hand: objects, and for each node what its BIRD, Felix and kernel answered.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../../src/resources/object.ts';
import { folderOf } from '../program/world.ts';

export interface RecordedAnswer {
  readonly argv: readonly string[];
  readonly stdout?: string;
  readonly exit?: number;
  readonly stderr?: string;
}

/** Queries to BIRD as calico-node's own client sends them. */
export function birdAnswers(
  family: 4 | 6,
  { status, rows, routes = '' }: { status: string; rows: string; routes?: string },
): RecordedAnswer[] {
  const ask = ['birdcl', '-s', `/var/run/calico/${family === 4 ? 'bird' : 'bird6'}.ctl`, 'show'];
  const banner = 'BIRD v0.3.3+birdv1.6.8 ready.\n';
  const heading = 'name     proto    table    state  since       info\n';
  return [
    { argv: [...ask, 'status'], stdout: `${banner}BIRD v0.3.3+birdv1.6.8\n${status}Daemon is up and running\n` },
    { argv: [...ask, 'protocols', 'all'], stdout: banner + heading + rows },
    { argv: [...ask, 'route', 'all'], stdout: banner + routes },
  ];
}

/** Every query to a BIRD that does not run. */
export function noBirdAnswers(family: 4 | 6): RecordedAnswer[] {
  const name = family === 4 ? 'bird' : 'bird6';
  return ['calico', 'bird'].flatMap((folder) =>
    [['status'], ['protocols', 'all'], ['route', 'all']].map((words): RecordedAnswer => {
      const socket = `/var/run/${folder}/${name}.ctl`;
      const stderr = `Unable to connect to server control socket (${socket}): No such file or directory\n`;
      return { argv: ['birdcl', '-s', socket, 'show', ...words], exit: 1, stderr };
    }),
  );
}

/** Writes the folder; a node without answers counts as unreachable. The caller removes it. */
export function recordedFolder(
  objects: readonly KubeObject[],
  nodes: Readonly<Record<string, readonly RecordedAnswer[] | undefined>>,
): { folder: string; remove(): void } {
  const folder = folderOf(objects);
  for (const [node, answers] of Object.entries(nodes)) {
    if (answers === undefined) continue;
    const place = join(folder, 'nodes', node);
    mkdirSync(place, { recursive: true });
    const commands = answers.map(({ argv, stdout = '', exit = 0, stderr = '' }, at) => {
      if (stdout !== '') writeFileSync(join(place, `${at}.txt`), stdout);
      return { argv, exit, ...(stdout === '' ? {} : { stdout: `${at}.txt` }), stderr };
    });
    writeFileSync(join(place, 'commands.json'), JSON.stringify({ node, commands }));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
