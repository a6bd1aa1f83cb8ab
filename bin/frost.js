#!/usr/bin/env node
// Plain old JavaScript: an old Node gets a sentence, not a syntax error. Everything else is in dist/.
var major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  process.stderr.write(`frost: needs Node 20 or later, this is ${process.versions.node}. Install a newer Node and try again.\n`);
  process.exitCode = 78;
} else {
  import('../dist/cli.js').then(
    (cli) => cli.main(process.argv.slice(2)),
    (error) => {
      var unbuilt = error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist/.test(error.message);
      process.stderr.write(`frost: ${unbuilt ? "is not built. Run 'npm install' (or 'npm run build') in its folder." : error.message}\n`);
      process.exitCode = 78;
    },
  );
}
