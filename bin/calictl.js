#!/usr/bin/env node
// Starts calictl. Refuses a Node that is too old in words that it understands, and answers the version questions by itself.
import { writeSync } from 'node:fs';
import { basename } from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);

async function start() {
  const { quickAnswer } = await import('../dist/quick-answer.js');
  const name = basename(process.argv[1] || 'calictl').replace(/\.js$/, '');
  const answer = quickAnswer(process.argv.slice(2), name, process.env);
  if (answer !== undefined) {
    writeSync(1, answer);
    return;
  }
  const { enableCompileCache } = await import('node:module');
  if (enableCompileCache) enableCompileCache();
  await import('../dist/main.js');
}

if (major < 20 || (major === 20 && minor < 19)) {
  console.error('calictl needs Node 20.19 or newer; this is ' + process.version);
  process.exitCode = 1;
} else {
  start().catch((error) => {
    if (error && error.code === 'EPIPE') return;
    const unbuilt = error && error.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('/dist/');
    console.error(unbuilt ? 'calictl: dist/ is missing: run `npm run build`' : error);
    process.exitCode = 1;
  });
}
