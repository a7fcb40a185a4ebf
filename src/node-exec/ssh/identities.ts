// What there is to log in with, in the order it is offered to a host: named keys, the agent's keys, the default keys, a
// password. Keys are read and passed on, never printed.
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import ssh2, { type AnyAuthMethod, type BaseAgent, type ParsedKey } from 'ssh2';
import { counted } from '../../text/wording.ts';
import { systemText } from '../../world/errors.ts';
import { homeOf, isAbsent, type SshWorld } from './config-files.ts';
import type { HostConfig } from './host-config.ts';
import { readLocalFile } from './local-file.ts';

export interface Identities {
  readonly methods: readonly AnyAuthMethod[];
  /** What is offered, for messages: `key /root/.ssh/id_ed25519`. */
  readonly tried: readonly string[];
  /** What exists but cannot be used, with the reason. */
  readonly unusable: readonly string[];
}

/** ssh's default keys that the package supports, in ssh's order. */
const defaultKeys: readonly string[] = ['id_rsa', 'id_ecdsa', 'id_ed25519'];

/** Never rejects: what cannot be used is listed as unusable. A `password` is offered last. */
export async function identitiesOf(
  config: HostConfig,
  password: string | undefined,
  world: SshWorld,
): Promise<Identities> {
  const { user: username } = config;
  const offer = new Offer(username, config.agent);
  await offer.askAgent();
  for (const file of config.identityFiles ?? []) offer.addFile(file, true);
  const defaults = defaultKeys.map((name) => join(homeOf(world), '.ssh', name));
  if (!config.identitiesOnly) offer.addAgent();
  // With IdentitiesOnly and no named key file, only the default files are offered.
  if (config.identityFiles === undefined) for (const file of defaults) offer.addFile(file, false);
  if (password !== undefined) offer.addPassword(password);
  return offer;
}

/** How long an agent may take to list its keys, in milliseconds. */
const agentMs = 3000;

class Offer implements Identities {
  readonly methods: AnyAuthMethod[] = [];
  readonly tried: string[] = [];
  readonly unusable: string[] = [];
  readonly #username: string;
  readonly #agent: BaseAgent | undefined;
  #agentKeys: readonly ParsedKey[] = [];

  constructor(username: string, socket: string | undefined) {
    this.#username = username;
    this.#agent = socket === undefined ? undefined : ssh2.createAgent(socket);
  }

  async askAgent(): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined) return;
    const held = new Promise<readonly unknown[] | undefined>((resolve) => {
      agent.getIdentities((error, keys) => resolve(error ? undefined : (keys ?? [])));
    });
    const keys = await Promise.race([held, after(agentMs, undefined, { ref: false })]);
    if (keys === undefined) this.unusable.push('ssh-agent (no reply)');
    this.#agentKeys = (keys ?? []).flatMap((key) => parsed(key));
  }

  addFile(file: string, named: boolean): void {
    let text: Buffer;
    try {
      text = readLocalFile(file);
    } catch (error) {
      // The public key alone is enough to select a key of the agent.
      const held = named ? this.#heldByAgent(publicHalf(file)) : [];
      if (held.length > 0) this.#add(held, `key ${file} (agent)`);
      else if (named || !isAbsent(error)) this.unusable.push(`key ${file} (${systemText(error)})`);
      return;
    }
    const key = ssh2.utils.parseKey(text);
    const [first] = Array.isArray(key) ? (key as ParsedKey[]) : [key];
    if (first !== undefined && !(first instanceof Error) && first.isPrivateKey()) {
      this.methods.push({ type: 'publickey', username: this.#username, key: first });
      this.tried.push(`key ${file}`);
      return;
    }
    const held = this.#heldByAgent(first === undefined || first instanceof Error ? publicHalf(file) : [first]);
    if (held.length > 0) this.#add(held, `key ${file} (agent)`);
    else this.unusable.push(`key ${file} (${whyUnusable(text.toString('latin1'), first)})`);
  }

  /** All keys of the agent that were not offered yet. */
  addAgent(): void {
    const keys = this.#agentKeys;
    if (keys.length === 0) return;
    this.#add(keys, counted(keys.length, 'ssh-agent key'));
  }

  addPassword(password: string): void {
    const username = this.#username;
    this.methods.push({ type: 'password', username, password });
    this.methods.push({
      type: 'keyboard-interactive',
      username,
      // Only a prompt without echo asks for a password.
      prompt: (_name, _instructions, _language, prompts, finish) =>
        finish(prompts.map(({ echo }) => (echo ? '' : password))),
    });
    this.tried.push('the password');
  }

  #heldByAgent(keys: readonly ParsedKey[]): readonly ParsedKey[] {
    return this.#agentKeys.filter((held) => keys.some((key) => key.getPublicSSH().equals(held.getPublicSSH())));
  }

  #add(keys: readonly ParsedKey[], what: string): void {
    const agent = this.#agent;
    if (agent === undefined) return;
    this.#agentKeys = this.#agentKeys.filter((key) => !keys.includes(key));
    this.methods.push({ type: 'agent', username: this.#username, agent: agentWith(agent, keys) });
    this.tried.push(what);
  }
}

/** The agent, reduced to these keys. */
function agentWith(agent: BaseAgent, keys: readonly ParsedKey[]): BaseAgent {
  class Chosen extends ssh2.BaseAgent<ParsedKey> {
    override getIdentities(callback: (error?: Error | null, keys?: ParsedKey[]) => void): void {
      callback(null, [...keys]);
    }
    override sign(...args: unknown[]): void {
      (agent.sign as (...all: unknown[]) => void)(...args);
    }
  }
  return new Chosen();
}

function publicHalf(file: string): readonly ParsedKey[] {
  try {
    return parsed(readLocalFile(`${file}.pub`));
  } catch {
    // There is no public key next to the private one.
    return [];
  }
}

function parsed(key: unknown): readonly ParsedKey[] {
  const found = ssh2.utils.parseKey(key as Buffer);
  if (found instanceof Error) return [];
  return Array.isArray(found) ? (found as ParsedKey[]) : [found];
}

function whyUnusable(text: string, parsedKey: ParsedKey | Error | undefined): string {
  if (parsedKey instanceof Error && (/encrypted/i.test(parsedKey.message) || text.includes('ENCRYPTED'))) {
    return 'it has a passphrase; add it to ssh-agent';
  }
  return parsedKey instanceof Error ? 'not a readable private key' : 'only a public key';
}
