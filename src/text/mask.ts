/** Values that servers without a key are usually given: words, not secrets, and common in ordinary text. */
const PLACEHOLDERS = new Set(
  'ollama lmstudio lm-studio lm_studio llama.cpp llamacpp not-needed no-key-required sk-no-key-required placeholder'.split(' '),
);

const SHORTEST_SECRET = 6;

/** The ways a key may stand in a text: as it is, inside a JSON string, inside a URL. */
function formsOf(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(value)])];
}

/** Replaces known key values by `<NAME>` wherever text leaves the program. One instance per process. */
export class SecretMask {
  /** Longest first, so that a key that contains another one is replaced as a whole. */
  #forms: { form: string; name: string }[] = [];

  /** Values shorter than 6 characters, and placeholders such as `ollama`, are not masked: they are words of ordinary texts. */
  add(name: string, value: string): void {
    const secret = value.trim();
    if (secret.length < SHORTEST_SECRET || PLACEHOLDERS.has(secret.toLowerCase())) return;
    const known = new Set(this.#forms.map(({ form }) => form));
    const added = formsOf(secret).filter((form) => !known.has(form));
    this.#forms = [...this.#forms, ...added.map((form) => ({ form, name }))].sort((a, b) => b.form.length - a.form.length);
  }

  mask(text: string): string {
    let masked = text;
    for (const { form, name } of this.#forms) {
      if (masked.includes(form)) masked = masked.replaceAll(form, `<${name}>`);
    }
    return masked;
  }

  /** How many characters at the end of `text` may be the beginning of a key whose rest has not arrived yet. */
  openAt(text: string): number {
    let open = 0;
    for (const { form } of this.#forms) {
      const first = form.charAt(0);
      let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
      while (at !== -1 && text.length - at > open) {
        if (form.startsWith(text.slice(at))) open = text.length - at;
        at = text.indexOf(first, at + 1);
      }
    }
    return open;
  }
}

/** Masks a text that arrives in pieces: what may be half a key is held back until the next piece or the end. */
export class MaskedText {
  readonly #mask: SecretMask;
  #held = '';

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  write(piece: string): string {
    const text = this.#mask.mask(this.#held + piece);
    const open = this.#mask.openAt(text);
    this.#held = open === 0 ? '' : text.slice(-open);
    return open === 0 ? text : text.slice(0, -open);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}
