// THIRD-PARTY-LICENSES.txt: every package whose code is in the bundle, with its licence as its authors ship it.
import fs from 'node:fs';
import path from 'node:path';

const FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** The package folders behind the inputs of a bundle that left bytes in it. */
function packageFolders(metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles) {
    for (const output of Object.values(outputs)) {
      for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
        const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.replace(/^[a-z-]+:/, '')) ?? [];
        if (folder && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  return [...folders].sort();
}

function licenceOf(folder) {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const files = fs.readdirSync(folder).filter((name) => FILE.test(name) && fs.statSync(path.join(folder, name)).isFile());
  const texts = files.sort().map((name) => fs.readFileSync(path.join(folder, name), 'utf8').trim());
  const author = typeof manifest.author === 'string' ? manifest.author : manifest.author?.name;
  const facts = `Licence: ${manifest.license ?? 'not stated'}${author ? `\nAuthor: ${author}` : ''}`;
  return { name: manifest.name, version: manifest.version, text: [facts, ...texts].join('\n\n') };
}

/** @param metafiles of esbuild, whose inputs are relative to `root` */
export function thirdPartyLicences(metafiles, root) {
  const entries = packageFolders(metafiles).map((folder) => licenceOf(path.join(root, folder)));
  const rule = '-'.repeat(80);
  const head = 'This program contains code of the packages below.';
  return `${[head, ...entries.map(({ name, version, text }) => `${rule}\n${name} ${version}\n\n${text}`)].join('\n\n')}\n`;
}
