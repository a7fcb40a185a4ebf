// The client of BIRD's control socket, with servers that reply, close, send nothing or are missing.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { showProtocols } from '../../src/node-exec/bird-socket.ts';

const folder = mkdtempSync(join(tmpdir(), 'calictl-bird-'));
const path = join(folder, 'bird.ctl');
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server that greets, and calls `answer` for every command. */
function daemon(answer: (socket: Socket, question: string) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('0001 BIRD 1.6.8 ready.\n');
    socket.on('data', (data) => answer(socket, data.toString()));
  });
  servers.push(server);
  return new Promise((resolve) => server.listen(path, resolve));
}

const heading = '2002-name     proto    table    state  since       info';

describe('showProtocols', () => {
  it('returns the lines of a reply, however the bytes are split', async () => {
    const asked: string[] = [];
    await daemon((socket, question) => {
      asked.push(question);
      const text = `${heading}\n1002-static1  Static   master   up     14:25:55    \n device1  Device   master   up     14:25:55    \n0000 \n`;
      for (const character of text) socket.write(character);
    });
    expect(await showProtocols(path, 2000)).toEqual([
      '0001 BIRD 1.6.8 ready.',
      heading,
      '1002-static1  Static   master   up     14:25:55    ',
      ' device1  Device   master   up     14:25:55    ',
      '0000 ',
    ]);
    expect(asked).toEqual(['show protocols\n']);
  });

  it('returns an error reply', async () => {
    await daemon((socket) => socket.write('9001 syntax error\n'));
    expect(await showProtocols(path, 2000)).toEqual(['0001 BIRD 1.6.8 ready.', '9001 syntax error']);
  });

  it('returns a partial reply when the daemon closes the connection', async () => {
    await daemon((socket) => socket.end(`${heading}\n1002-half`));
    expect(await showProtocols(path, 2000)).toEqual(['0001 BIRD 1.6.8 ready.', heading, '1002-half']);
  });

  it('gives up on a daemon that does not reply in time', async () => {
    await daemon(() => undefined);
    await expect(showProtocols(path, 50)).rejects.toMatchObject({
      code: 'BIRD_SILENT',
      message: `read unix @->${path}: i/o timeout`,
    });
  });

  it('reports a missing socket in the words of Go', async () => {
    const gone = join(folder, 'gone.ctl');
    await expect(showProtocols(gone, 2000)).rejects.toMatchObject({
      code: 'BIRD_UNCONNECTED',
      message: `dial unix ${gone}: connect: no such file or directory`,
    });
  });
});
