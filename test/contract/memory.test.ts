import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { datastoreContract } from './datastore-contract.ts';

datastoreContract('memory', async () => {
  const store = new MemoryDatastore();
  return { store, stop: () => store.close() };
});
