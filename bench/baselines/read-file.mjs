// The least that resuming a session can cost: reading its file.
import { readFileSync } from 'node:fs';

process.stdout.write(`${readFileSync(process.argv[2]).length}\n`);
