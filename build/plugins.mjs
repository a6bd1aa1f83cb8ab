// What is left out of the bundle, or put in another form, because it would cost a start of frost time.
import fs from 'node:fs';
import path from 'node:path';
import { lightOpenai } from './light-openai.mjs';

/** Ink's optional developer tools are not installed and not wanted; the `await`s that would load them also keep Ink out of CommonJS. */
const withoutDevtools = {
  name: 'without-devtools',
  setup(build) {
    build.onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, 'utf8').replace(/await (import\('\.\/devtools\.js'\)|loadPackageJson\(\))/g, '({})'),
    }));
  },
};

/** Of dotenv only `parse` is used, which needs no cryptography; loading that costs 20 ms. */
const withoutCrypto = {
  name: 'without-crypto',
  setup(build) {
    build.onResolve({ filter: /^(node:)?crypto$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]dotenv[\\/]/.test(importer) ? { path: 'none', namespace: 'none' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export default {}' }));
  },
};

/** Commander starts programs only for sub-commands in files of their own, which frost has none of. */
const commanderWithoutPrograms = {
  name: 'commander-without-programs',
  setup(build) {
    build.onLoad({ filter: /[\\/]commander[\\/]lib[\\/]command\.js$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, 'utf8').replace("require('node:child_process')", '{}'),
    }));
  },
};

const YOGA_BYTES = /"data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)"/;

/** Yoga waits for its WebAssembly at the top level, which only an ES module may; made ready in one step it fits everywhere. */
const yogaAtOnce = {
  name: 'yoga-at-once',
  setup(build) {
    build.onLoad({ filter: /[\\/]yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/ }, ({ path: file }) => {
      const [, bytes] = YOGA_BYTES.exec(fs.readFileSync(binaryOf(path.dirname(file)), 'utf8')) ?? [];
      if (!bytes) throw new Error('yoga-layout has changed: its WebAssembly was not found.');
      return {
        contents: `
          import load from '../binaries/yoga-wasm-base64-esm.js';
          import wrapAssembly from './wrapAssembly.js';
          const library = {
            instantiateWasm(imports, receive) {
              const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from('${bytes}', 'base64')), imports);
              receive(instance);
              return instance.exports;
            },
          };
          load(library);
          export default wrapAssembly(library);
          export * from './generated/YGEnums.js';`,
      };
    });
    build.onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, 'utf8').replace(YOGA_BYTES, '""'),
    }));
  },
};

const binaryOf = (source) => path.join(source, '..', 'binaries', 'yoga-wasm-base64-esm.js');

/** Proxies that ask for Kerberos need a native package that is not shipped; asking for it fails in words. */
const withoutKerberos = {
  name: 'without-kerberos',
  setup(build) {
    build.onResolve({ filter: /^kerberos$/ }, () => ({ path: 'kerberos', namespace: 'kerberos' }));
    build.onLoad({ filter: /.*/, namespace: 'kerberos' }, () => ({
      contents: "throw new Error('the proxy asks for Kerberos, which this build of frost does not have');",
    }));
  },
};

/** What jiti hands to Node for a module of the user goes through the one place that may say `import()`. */
const importInOnePlace = {
  name: 'import-in-one-place',
  setup(build) {
    build.onLoad({ filter: /[\\/]jiti[\\/]lib[\\/]jiti-static\.mjs$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, 'utf8').replace(/\bimport\(id\)/g, '__frostImport(id)'),
    }));
  },
};

export const plugins = [
  withoutDevtools,
  withoutCrypto,
  commanderWithoutPrograms,
  yogaAtOnce,
  withoutKerberos,
  importInOnePlace,
  lightOpenai,
];
