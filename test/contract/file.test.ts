import { openFolder } from '../../src/datastore/file/file-datastore.ts';
import { realWorld, testFolder } from '../support/program/test-folder.ts';
import { datastoreContract } from './datastore-contract.ts';

datastoreContract('directory', async () => {
  const folder = testFolder();
  const [store, second] = await Promise.all([openFolder(folder.path, realWorld), openFolder(folder.path, realWorld)]);
  return {
    store,
    second,
    stop: async () => {
      await Promise.all([store.close(), second.close()]);
      folder.remove();
    },
  };
});
