// What a user installs: the files of the published package, and what it brings along.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../home.mjs';

/** `{megabytes, dependencies, licences}` of the package as `npm pack` would make it. */
function packed() {
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [listing] = JSON.parse(out);
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return {
    megabytes: listing.unpackedSize / 1e6,
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies }).length,
    missing: listing.files.some((file) => file.path === 'dist/THIRD-PARTY-LICENSES.txt') ? 0 : 1,
  };
}

export function publishedPackage() {
  return {
    once: true,
    subjects: { frost: async () => packed() },
    rows: [
      {
        id: 'package-size',
        what: 'the published package, unpacked',
        ours: ['frost', 'megabytes'],
        value: (pick) => pick('frost', 'megabytes'),
        bound: 5,
        unit: 'MB',
      },
      {
        id: 'package-dependencies',
        what: 'packages installed along with it',
        ours: ['frost', 'dependencies'],
        value: (pick) => pick('frost', 'dependencies'),
        bound: 0,
        unit: '',
      },
      {
        id: 'package-licences',
        what: 'third-party licences missing from it',
        ours: ['frost', 'missing'],
        value: (pick) => pick('frost', 'missing'),
        bound: 0,
        unit: '',
      },
    ],
  };
}
