import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    pool: 'threads',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
