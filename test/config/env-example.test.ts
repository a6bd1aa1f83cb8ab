import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { envExample } from '../../src/config/env-example.js';
import { specialists } from '../../subagents/index.js';

it('.env.example has exactly the settings table and the roster: write it anew with `frost config example > .env.example`', () => {
  const file = path.resolve(import.meta.dirname, '../../.env.example');
  expect(fs.readFileSync(file, 'utf8')).toBe(envExample(Object.keys(specialists)));
});
