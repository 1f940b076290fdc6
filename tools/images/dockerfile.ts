import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A stage of the Dockerfile: what it begins with, and its instructions in order. */
export type Stage = { name: string; base: string; instructions: readonly { name: string; text: string }[] };

/** The stages of the Dockerfile, which has one instruction a line but for those that `\` continues. */
export function readStages(root: string): Map<string, Stage> {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const stages = new Map<string, Stage & { instructions: { name: string; text: string }[] }>();
  for (const line of lines) {
    const [, base, stage] = /^FROM (\S+) AS (\S+)$/.exec(line) ?? [];
    if (base && stage) stages.set(stage, { name: stage, base, instructions: [] });
    const [name = '', ...rest] = line.split(' ');
    if (name !== 'FROM') [...stages.values()].at(-1)?.instructions.push({ name, text: rest.join(' ') });
  }
  return stages;
}

/** The last value of an instruction in a stage or what it begins with: how Docker sees the image. */
export function instructionOf(stages: ReadonlyMap<string, Stage>, target: string, name: string): string | undefined {
  const stage = stages.get(target);
  if (stage === undefined) return undefined;
  const own = stage.instructions.findLast((instruction) => instruction.name === name);
  return own?.text ?? instructionOf(stages, stage.base, name);
}

/** The program that an image starts: entry point and command together. */
export const commandOf = (stages: ReadonlyMap<string, Stage>, target: string): string[] =>
  ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(instructionOf(stages, target, name) ?? '[]') as string[]);

/** The variables that an image sets. */
export function variablesOf(stages: ReadonlyMap<string, Stage>, target: string): Map<string, string> {
  const stage = stages.get(target);
  if (stage === undefined) return new Map();
  const own = stage.instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) =>
      [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [String(name), String(value)] as const),
    );
  return new Map([...variablesOf(stages, stage.base), ...own]);
}
