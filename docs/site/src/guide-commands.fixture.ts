import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Route, routes } from '@castellan/contracts';

/** Code blocks of a page in one language. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, name, code = '']) => (name === language ? [code] : []));

/** Commands of a shell block: without comments; the command inside of $( ) is one of its own. */
export function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*/, '').trim())
    .filter((line) => line !== '')
    .flatMap((line) => {
      const inner = [...line.matchAll(/\$\(([^)]*)\)/g)].map(([, command]) => `${command}`);
      return line.startsWith('export ') ? inner : [line, ...inner];
    })
    .map((command) => command.replace(/^(?:\w+=\S+ )+/, ''));
}

/** Whether a route takes this request; variables of the shell are parts of a path. */
function isServed(method: string, path: string): boolean {
  return (Object.values(routes) as Route[]).some((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return route.method === method && pattern.test(path);
  });
}

/** What a guide asks the local chain for, which is no part of the API. */
const chainMethods = ['evm_increaseTime', 'evm_mine'];

function curlFault(command: string): string | undefined {
  const asked = /http:\/\/127\.0\.0\.1:8545 .*"method":"(\w+)"/.exec(command)?.[1];
  if (asked !== undefined) return chainMethods.includes(asked) ? undefined : `${asked} is nothing to ask a chain for`;
  const url = /https?:\/\/127\.0\.0\.1:8080(\/[^\s"'?]*)/.exec(command)?.[1];
  const method = /-X (\w+)/.exec(command)?.[1] ?? 'GET';
  if (url === undefined) return 'asks something else than the system of npm start';
  return isServed(method, url) ? undefined : `${method} ${url} is no route`;
}

/** Packages that a guide installs: those that are built, and viem. */
const packageOf = /^(viem|\.\.\/castellan-packages\/(sdk|cli|react))$/;

function npmFault(root: string, [first = '', ...words]: string[]): string | undefined {
  if (first === 'init' || first === 'pkg') return undefined;
  if (first === 'install') {
    const unknown = words.find((word) => !packageOf.test(word));
    return unknown === undefined ? undefined : `${unknown} is no package that is there`;
  }
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const script = (first === 'run' ? words.find((word) => !word.startsWith('-')) : first) ?? '';
  return scripts[script] === undefined ? `there is no script ${script}` : undefined;
}

/** What is wrong with a command of a guide, as far as the sources can say; undefined when nothing is. */
export function commandFault(root: string, command: string): string | undefined {
  const [program = '', ...words] = command.split(/\s+/);
  const [first = ''] = words;
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  if (program === 'curl') return curlFault(command);
  if (program === 'npm') return npmFault(root, words);
  if (program === 'node') return existsSync(join(root, first)) ? undefined : `there is no file ${first}`;
  if (program === 'castellan')
    return read('docs/cli.md').includes(`### castellan ${first}`) ? undefined : `there is no command ${first}`;
  return `nothing is known of ${program}`;
}

/** Programs of docs/examples and docs/api, which the compiler checks. */
export const examplePrograms = (root: string): string[] =>
  globSync('docs/{examples,api}/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
