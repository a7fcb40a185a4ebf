// Changing the IPAMConfig object by compare-and-swap; what may change is the caller's question.
import { type Datastore, DatastoreError, getIfAny } from '../../../datastore/datastore.ts';
import { changedSettings, defaultConfig, type IpamSettings, settingsOf, withSettings } from '../../../ipam/config.ts';
import { maxRetries, retriesExhausted } from '../../../ipam/retries.ts';
import { ipamConfig } from '../../../resources/kinds/ipam-config.ts';
import { CalictlError } from '../../../world/errors.ts';

export interface IpamConfigured {
  readonly dryRun: boolean;
  /** There was no configuration object before. */
  readonly created: boolean;
  readonly before: IpamSettings;
  readonly after: IpamSettings;
}

export interface ChangeOptions {
  /** calicoctl creates an object with the defaults first, whatever becomes of the change. */
  readonly defaultsFirst: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Called before a write. Errors: when the change must not be made. */
  approve(before: IpamSettings, after: IpamSettings): Promise<void>;
}

/** Errors: when the server does not keep the setting, which the CRDs of a Calico before 3.32 do not have. */
function refuseDropped(after: IpamSettings, kept: IpamSettings): void {
  const wanted = after.kubeVirtVMAddressPersistence;
  if (wanted === undefined || wanted === kept.kubeVirtVMAddressPersistence) return;
  throw new CalictlError('the server did not keep spec.kubeVirtVMAddressPersistence of the IPAMConfig', {
    code: 'FIELD_DROPPED',
    hint: 'its CRDs are of a Calico before 3.32, which always replaces the addresses of a VM; update them first',
  });
}

const raced = ['already-exists', 'conflict', 'not-found'];

/**
 * Reads the configuration, applies the requested settings and writes it; starts over when another client wrote it
 * meanwhile. Errors: those of `approve` and of the store.
 */
export async function changeSettings(
  store: Datastore,
  asked: Partial<IpamSettings>,
  { defaultsFirst, dryRun, signal, approve }: ChangeOptions,
): Promise<IpamConfigured> {
  for (let attempt = 0; attempt < maxRetries; attempt += 1) {
    try {
      let stored = await getIfAny(store, ipamConfig, { name: 'default' }, { signal });
      if (stored === undefined && defaultsFirst) {
        stored = await store.create(ipamConfig, defaultConfig(store.calicoApi), { signal });
      }
      const before = settingsOf(stored);
      const after = { ...before, ...asked };
      const changes = changedSettings(before, after).length > 0;
      const done = { dryRun, created: changes && stored === undefined, before, after };
      if (!changes) return done;
      await approve(before, after);
      if (dryRun) return done;
      const wanted = withSettings(stored ?? defaultConfig(store.calicoApi), after);
      const write = stored === undefined ? 'create' : 'update';
      refuseDropped(after, settingsOf(await store[write](ipamConfig, wanted, { signal })));
      return done;
    } catch (error) {
      const again = error instanceof DatastoreError && raced.includes(error.reason) && !error.missingKind;
      if (!again) throw error;
    }
  }
  throw retriesExhausted();
}
