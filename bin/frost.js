#!/usr/bin/env node
// Plain old JavaScript: an old Node gets a sentence, not a syntax error. Everything else is in dist/.
var major = Number(process.versions.node.split('.')[0]);

function fail(message) {
  process.stderr.write(`frost: ${message}\n`);
  process.exitCode = 78;
}

function unbuilt(error) {
  return error && error.code === 'MODULE_NOT_FOUND' && /dist/.test(error.message);
}

function useOf(args) {
  if (args.indexOf('--help') >= 0 || args.indexOf('-h') >= 0) return 'other';
  if (args[0] === 'ask') return 'ask';
  return args.length === 0 || args[0][0] === '-' ? 'chat' : 'other';
}

function start() {
  var args = process.argv.slice(2);
  var info = require('../dist/program/start.js');
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${info.version}\n`);
    return;
  }
  require('../dist/program/loader.js').load(info, useOf(args)).main(args);
}

if (major < 20) {
  fail(`needs Node 20 or later, this is ${process.versions.node}. Install a newer Node and try again.`);
} else {
  try {
    start();
  } catch (error) {
    fail(unbuilt(error) ? "is not built. Run 'npm install' (or 'npm run build') in its folder." : error.message);
  }
}
