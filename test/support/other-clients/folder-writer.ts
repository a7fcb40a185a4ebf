// Runs as a separate process: writes to a folder and reports each completed write.
//   folder-writer.ts FOLDER COUNTER WRITES PREFIX
// Each round adds one to the counter's handle and, with a prefix, makes a handle `PREFIX-<n>` and deletes every third.
import { writeSync } from 'node:fs';
import { DatastoreError } from '../../../src/datastore/datastore.ts';
import { openFolder } from '../../../src/datastore/file/file-datastore.ts';
import { ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import { handle, total } from '../clusters/counter-handles.ts';
import { realWorld } from '../program/test-folder.ts';

const [folder = '', counter = '', writes = '0', prefix = ''] = process.argv.slice(2);
const store = await openFolder(folder, realWorld);

async function add(): Promise<number> {
  for (;;) {
    const read = await store.get(ipamHandle, { name: counter });
    try {
      return total(await store.update(ipamHandle, { ...read, spec: handle(counter, total(read) + 1).spec }));
    } catch (error) {
      if (!(error instanceof DatastoreError) || error.reason !== 'conflict') throw error;
    }
  }
}

for (let n = 1; n <= Number(writes); n++) {
  writeSync(1, `counted ${await add()}\n`);
  if (prefix === '') continue;
  await store.create(ipamHandle, handle(`${prefix}-${n}`, n));
  writeSync(1, `made ${prefix}-${n}\n`);
  if (n % 3 !== 0) continue;
  writeSync(1, `deleting ${prefix}-${n}\n`);
  await store.delete(ipamHandle, { name: `${prefix}-${n}` }, {});
  writeSync(1, `deleted ${prefix}-${n}\n`);
}
