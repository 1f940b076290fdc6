import type { Command } from './command.ts';

/** The shells that completions are written for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** What may follow the words so far: the next words of commands, choices of an operand, and options. */
function candidates(commands: readonly Command[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (after: string, word: string) => found.set(after, (found.get(after) ?? new Set()).add(word));
  for (const { path, operands = [], options = {} } of commands) {
    const words = path.split(' ');
    for (const [index, word] of words.entries()) add(words.slice(0, index).join(' '), word);
    for (const choice of operands[0]?.choices ?? []) add(path, choice);
    for (const name of [...Object.keys(options), 'help']) add(path, `--${name}`);
  }
  return found;
}

const cases = (found: ReadonlyMap<string, ReadonlySet<string>>): string =>
  [...found].map(([after, words]) => `    '${after}') words='${[...words].join(' ')}' ;;`).join('\n');

// Options and what follows them are passed over; the longest beginning that is known decides.
const bash = (found: ReadonlyMap<string, ReadonlySet<string>>): string => `_castellan_words() {
  case "$1" in
${cases(found)}
    *) return 1 ;;
  esac
}
_castellan() {
  local path='' words='' found='' word
  _castellan_words '' && found=$words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    path="\${path:+$path }$word"
    _castellan_words "$path" && found=$words
  done
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _castellan castellan
`;

const fish = (found: ReadonlyMap<string, ReadonlySet<string>>): string => {
  const lines = [...found].map(([after, words]) => {
    const line = after === '' ? 'castellan' : `castellan ${after}`;
    const test = `string match -q -- '${line}${after === '' ? "'" : "*'"} (string join ' ' (commandline -opc))`;
    return `complete -c castellan -n "${test}" -a '${[...words].join(' ')}'`;
  });
  return `${lines.join('\n')}\n`;
};

/** The completions of a shell, for its own file or to be sourced. */
export function completionsFor(shell: (typeof shells)[number], commands: readonly Command[]): string {
  const found = candidates(commands);
  if (shell === 'fish') return fish(found);
  return shell === 'bash' ? bash(found) : `autoload -U +X bashcompinit && bashcompinit\n${bash(found)}`;
}
