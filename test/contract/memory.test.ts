import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { datastoreContract } from './datastore-contract.ts';

datastoreContract('memory', async () => {
  const store = new MemoryDatastore();
  return { store, stop: () => store.close() };
});

datastoreContract(
  'memory, with its objects in projectcalico.org/v3,',
  async () => {
    const store = new MemoryDatastore([], { calicoApi: 'projectcalico.org/v3' });
    return { store, stop: () => store.close() };
  },
  'projectcalico.org/v3',
);
