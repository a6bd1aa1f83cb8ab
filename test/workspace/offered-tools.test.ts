import { afterEach, describe, expect, it } from 'vitest';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

let scene: WorkspaceScene;
afterEach(() => scene?.close());

describe('what the model is told of', () => {
  it.each([
    ['read', [], ['read_file', 'list_files', 'search_files']],
    ['read', ['run_command(npm test)'], ['read_file', 'list_files', 'search_files', 'run_command']],
    ['read', ['edit_file(src/**)'], ['read_file', 'list_files', 'search_files', 'write_file', 'edit_file']],
    ['ask', [], ['read_file', 'list_files', 'search_files', 'write_file', 'edit_file', 'run_command', 'fetch_url']],
  ] as const)('in the mode %s with the rules %j', (mode, allow, names) => {
    scene = workspaceScene({ mode, allow: [...allow] });
    expect(scene.names).toEqual(names);
  });

  it('is short: all seven tools in 2600 bytes of JSON', () => {
    scene = workspaceScene({ mode: 'full' });
    const schemas = scene.names.map((name) => {
      const { description, parameters } = scene.tool(name) ?? {};
      return { type: 'function', function: { name, description, parameters } };
    });
    expect(Buffer.byteLength(JSON.stringify(schemas))).toBeLessThan(2600);
  });
});
