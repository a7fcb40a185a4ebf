// The passwords of BGP sessions, from the Secrets that BGPPeers and BGPConfigurations name.

import type { BgpPlan } from '../../bgp/desired-sessions.ts';
import type { BirdEnvironment, PasswordKey, Passwords } from '../../bird-config/objects.ts';
import { hiddenPassword } from '../../bird-config/objects.ts';
import { quoted } from '../../bird-config/syntax.ts';
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { type Secret, secret } from '../../resources/kinds/secret.ts';
import type { Context } from '../command.ts';

/** Where calico-node is, and with it the Secrets: in a plain installation, and in one by the operator. */
const usualNamespaces = ['kube-system', 'calico-system'];

/** In place of every password, whether it exists or not. */
export const hiddenPasswords: Passwords = () => hiddenPassword;

/**
 * The passwords of all sessions of the plan; with `show` false, each is read and hidden. What cannot be read is hidden too,
 * with a note. Errors: those of the store, but for permissions.
 */
export async function readPasswords(
  ctx: Context,
  store: Datastore,
  plan: BgpPlan,
  environment: BirdEnvironment,
  show: boolean,
): Promise<Passwords> {
  const names = new Set([...plan.sessions, ...plan.refused].flatMap(({ password }) => password?.secret ?? []));
  const found = new Map<string, Secret | 'unknown' | undefined>();
  for (const name of names) found.set(name, await secretNamed(ctx, store, name, environment));
  return (key) => {
    const held = found.get(key.secret);
    if (held === 'unknown') return hiddenPassword;
    const password = held && passwordIn(held, key);
    if (!password) return undefined;
    // That it can be written is checked also where it is hidden.
    quoted(password, `key ${key.key} of Secret ${key.secret}`);
    return show ? password : hiddenPassword;
  };
}

function passwordIn({ data, stringData }: Secret, { key }: PasswordKey): string | undefined {
  const encoded = data?.[key];
  return stringData?.[key] ?? (encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8'));
}

async function secretNamed(
  ctx: Context,
  store: Datastore,
  name: string,
  { NAMESPACE }: BirdEnvironment,
): Promise<Secret | 'unknown' | undefined> {
  const namespaces = NAMESPACE ? [NAMESPACE] : usualNamespaces;
  for (const namespace of namespaces) {
    try {
      return await store.get(secret, { name, namespace }, { signal: ctx.world.signal });
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      if (error.reason === 'unauthorized') {
        await ctx.note(`Secret ${namespace}/${name} cannot be read: its passwords are shown as ${hiddenPassword}`);
        return 'unknown';
      }
      if (error.reason !== 'not-found') throw error;
    }
  }
  if (store.type === 'folder') return 'unknown';
  await ctx.note(`there is no Secret ${name} in ${namespaces.join(' or ')}: Calico leaves the passwords out`);
  return undefined;
}
