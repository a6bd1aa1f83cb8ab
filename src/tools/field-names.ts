/** Models know other agents' tools and use their names for the same fields; those are taken as well. */

/**
 * A tool's `prepare`: renames the fields that `aliases` lists, each to the tool's own name. A field that has its own name
 * already is left alone, and what is not listed stays for the validation to judge.
 */
export function takingNames<Own extends string>(
  aliases: Readonly<Record<string, Own>>,
): (args: Record<string, unknown>) => Record<string, unknown> {
  return (args) => {
    if (!Object.keys(args).some((name) => Object.hasOwn(aliases, name))) return args;
    const renamed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
      if (own === undefined) renamed[name] = value;
      else if (!Object.hasOwn(args, own)) renamed[own] ??= value;
    }
    return renamed;
  };
}

/** Names of a path in the file tools of other agents. */
export const PATH_NAMES = { file_path: 'path', filepath: 'path', filename: 'path', file: 'path', absolute_path: 'path' } as const;
