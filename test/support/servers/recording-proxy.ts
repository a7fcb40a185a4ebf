// A proxy between commands and an API server: makes every request in the name of one user, and records the requests in
// the words of RBAC.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import type { ApiServer } from './api-server.ts';

export interface AskedRight {
  readonly group: string;
  /** With the subresource: `pods/exec`. */
  readonly resource: string;
  readonly verb: string;
}

export interface AskedRequest extends AskedRight {
  readonly status: number;
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** A request in the words of RBAC; undefined for a request that does not concern a resource. */
function rightOf(method: string, url: string): AskedRight | undefined {
  const { pathname, searchParams } = new URL(url, 'http://server');
  const [root, ...rest] = pathname.split('/').slice(1);
  const group = root === 'apis' ? (rest.shift() ?? '') : '';
  if (root !== 'api' && root !== 'apis') return undefined;
  const [, ...path] = rest;
  if (path[0] === 'namespaces' && path.length > 2) path.splice(0, 2);
  const [plural = '', name, subresource] = path;
  if (plural === '') return undefined;
  const reading = searchParams.get('watch') ? 'watch' : name === undefined ? 'list' : 'get';
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return { group, resource, verb: verbs[method] ?? reading };
}

export class RecordingProxy {
  readonly asked: AskedRequest[] = [];
  /** Called before a request is passed on. `lose` passes it on and answers with an error all the same. */
  interfere: (asked: AskedRight) => Promise<'lose' | undefined> = async () => undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** Requests are made as `user`, with these headers instead of their own. */
  constructor(target: ApiServer, user: string, instead: Readonly<Record<string, string>> = {}) {
    const { hostname, port } = new URL(target.url);
    const agent = new Agent({ keepAlive: true, ca: readFileSync(target.caFile) });
    const onward = (from: IncomingMessage) => {
      const { host: _, ...kept } = from.headers;
      const headers = { ...kept, authorization: 'Bearer admin-token', 'impersonate-user': user, ...instead };
      const { method = 'GET', url = '/' } = from;
      const sent = request({ agent, hostname, port, method, path: url, headers });
      const keep = ({ statusCode = 0 }: IncomingMessage): void => {
        const right = rightOf(method, url);
        if (right !== undefined) this.asked.push({ ...right, status: statusCode });
      };
      return sent.on('response', keep).on('upgrade', keep);
    };
    this.#server = createServer(async (from, to) => {
      const right = rightOf(from.method ?? 'GET', from.url ?? '');
      const isLost = right !== undefined && (await this.interfere(right)) === 'lose';
      const sent = onward(from);
      sent.on('response', (answer) => {
        if (isLost) {
          answer.resume().on('end', () => to.writeHead(500).end('the answer was lost'));
          return;
        }
        to.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(to);
      });
      sent.on('error', () => to.destroy());
      from.pipe(sent);
    });
    this.#server.on('upgrade', (from, socket: Socket) => {
      const head = (answer: IncomingMessage): string => {
        const lines = answer.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []));
        return [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`, ...lines, '', ''].join('\r\n');
      };
      const sent = onward(from);
      sent.on('upgrade', (answer, far: Socket, first) => {
        socket.write(head(answer));
        socket.write(first);
        far.pipe(socket).pipe(far);
        for (const [end, other] of [
          [far, socket],
          [socket, far],
        ] as const) {
          end.on('error', () => undefined).on('close', () => other.destroy());
        }
      });
      sent.on('response', (answer) => {
        socket.write(head(answer));
        answer.pipe(socket);
      });
      sent.on('error', () => socket.destroy());
      sent.end();
    });
    this.#server.on('connection', (socket) =>
      this.#sockets.add(socket.on('close', () => this.#sockets.delete(socket))),
    );
  }

  /** Starts it and returns its address, which accepts requests without credentials. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** From now on everything that is sent is ignored, and no connection ends. */
  freeze(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
