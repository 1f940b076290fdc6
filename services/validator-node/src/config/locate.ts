export type Position = { line: number; column: number };

/**
 * Where each key of a TOML document stands, by its path (`monitoring.metrics_port`, `chains.0.name`). The parser keeps no
 * positions, so this walks the text a second time; the document must have parsed.
 */
export function locateKeys(toml: string): Map<string, Position> {
  return new Walker(toml).walk();
}

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

class Walker {
  readonly #text: string;
  readonly #found = new Map<string, Position>();
  readonly #arrays = new Map<string, number>();
  #at = 0;
  #table: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  walk(): Map<string, Position> {
    for (;;) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return this.#found;
      if (this.#text[this.#at] === '[') this.#header();
      else this.#pair(this.#table);
    }
  }

  #header() {
    const from = this.#at;
    const isArray = this.#text.startsWith('[[', this.#at);
    this.#at += isArray ? 2 : 1;
    const path = this.#resolved(this.#key(']'));
    this.#at += isArray ? 2 : 1;
    if (isArray) {
      const name = path.join('.');
      const index = (this.#arrays.get(name) ?? -1) + 1;
      this.#arrays.set(name, index);
      path.push(String(index));
    }
    this.#note(path, from);
    this.#table = path;
  }

  /** A header below an array of tables means its last element. */
  #resolved(keys: readonly string[]): string[] {
    const path: string[] = [];
    keys.forEach((key, i) => {
      path.push(key);
      const last = this.#arrays.get(path.join('.'));
      if (last !== undefined && i < keys.length - 1) path.push(String(last));
    });
    return path;
  }

  #pair(table: readonly string[]) {
    const from = this.#at;
    const path = [...table, ...this.#key('=')];
    this.#at += 1;
    this.#note(path, from);
    this.#skipBlank();
    this.#value(path);
  }

  #key(end: string): string[] {
    const parts: string[] = [];
    let part = '';
    while (this.#at < this.#text.length && this.#text[this.#at] !== end) {
      const char = this.#text[this.#at] as string;
      if (char === '"' || char === "'") {
        const from = this.#at;
        this.#string(char);
        part = this.#text.slice(from + 1, this.#at - 1);
        continue;
      }
      if (char === '.') {
        parts.push(part);
        part = '';
      } else if (char !== ' ' && char !== '\t') part += char;
      this.#at += 1;
    }
    return [...parts, part];
  }

  #value(path: readonly string[]) {
    const char = this.#text[this.#at] as string;
    if (char === '"' || char === "'") this.#string(char);
    else if (closing[char]) this.#container(path, char);
    else while (this.#at < this.#text.length && !/[\n,\]}#]/.test(this.#text[this.#at] as string)) this.#at += 1;
  }

  #container(path: readonly string[], open: string) {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === closing[open]) break;
      if (open === '{') this.#pair(path);
      else {
        const element = [...path, String(index)];
        this.#note(element, this.#at);
        this.#value(element);
      }
      this.#skipBlank();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  #string(quote: string) {
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const end = quote.repeat(isLong ? 3 : 1);
    this.#at += end.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(end, this.#at))
      this.#at += quote === '"' && this.#text[this.#at] === '\\' ? 2 : 1;
    this.#at += end.length;
    // Up to two quotes may stand right before the closing three.
    while (isLong && this.#text[this.#at] === quote) this.#at += 1;
  }

  #skipBlank() {
    for (;;) {
      while (this.#at < this.#text.length && /\s/.test(this.#text[this.#at] as string)) this.#at += 1;
      if (this.#text[this.#at] !== '#') return;
      while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at += 1;
    }
  }

  #note(path: readonly string[], offset: number) {
    const name = path.join('.');
    if (this.#found.has(name)) return;
    const before = this.#text.slice(0, offset);
    this.#found.set(name, { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') });
  }
}
