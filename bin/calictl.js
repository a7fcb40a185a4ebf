#!/usr/bin/env node
// Starts calictl. Refuses a Node that is too old in words that it understands, and answers the version questions by itself.
// CommonJS (bin/package.json), because Node loads that sooner.
const { basename } = require('node:path');

const [major, minor] = process.versions.node.split('.').map(Number);

/** True when the question was one of those that need nothing of the program. */
function answered() {
  const { versionAnswer } = require('../dist/version-fast-path.cjs');
  const name = basename(process.argv[1] || 'calictl').replace(/\.js$/, '');
  const answer = versionAnswer(process.argv.slice(2), name, process.env);
  if (answer !== undefined) require('node:fs').writeSync(1, answer);
  return answer !== undefined;
}

function failed(error) {
  if (error && error.code === 'EPIPE') return;
  const unbuilt = error && /^(ERR_)?MODULE_NOT_FOUND$/.test(error.code) && /[/\\]dist[/\\]/.test(error.message);
  const unwritten = error && error.syscall === 'write' && `calictl: standard output was not written: ${error.code}`;
  console.error(unbuilt ? 'calictl: dist/ is missing: run `npm run build`' : unwritten || error);
  process.exitCode = 1;
}

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`calictl needs Node 20.19 or newer; this is ${process.version}`);
  process.exitCode = 1;
} else {
  try {
    if (!answered()) {
      const { enableCompileCache } = require('node:module');
      if (enableCompileCache) enableCompileCache();
      import('../dist/main.js').catch(failed);
    }
  } catch (error) {
    failed(error);
  }
}
