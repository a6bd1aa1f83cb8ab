import type { Place, Workspace } from '../workspace/workspace.js';

/** The places of calls: `run` works with the very one that `access` stated, so that what was judged is what is opened. */
export class JudgedPlaces {
  readonly #workspace: Workspace;
  readonly #places = new WeakMap<object, Place>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Where the call's path leads, as it was when it was first asked for. */
  async of(args: Record<string, unknown>, given: unknown): Promise<Place> {
    const known = this.#places.get(args);
    if (known) return known;
    const place = await this.#workspace.place(String(given));
    this.#places.set(args, place);
    return place;
  }
}
