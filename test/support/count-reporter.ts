import type { Reporter, TestModule } from 'vitest/node';

/** Closes the output with one line that a program can count: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const results = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const passed = results.filter((state) => state === 'passed').length;
    const failed = results.filter((state) => state === 'failed').length + broken + errors.length;
    process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
