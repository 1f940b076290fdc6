import type { World } from '@castellan/cli';

/** The option of every command whose result a program may want. */
export const jsonOption = {
  json: { summary: 'prints the result as JSON, and what is said besides to standard error' },
} as const;

/** How a command says what it does, and what came of it. */
export type Output = {
  /** A line without its end, as the work goes on. */
  readonly say: (line: string) => void;
  /** The result: as JSON, or in words. */
  readonly done: (result: unknown, words: string) => void;
};

/** With JSON the result alone goes to standard output. */
export function outputOf(isJson: boolean, { out, err }: Pick<World, 'out' | 'err'>): Output {
  return {
    say: (line) => (isJson ? err : out)(`${line}\n`),
    done: (result, words) => out(isJson ? `${JSON.stringify(result, undefined, 2)}\n` : words),
  };
}
