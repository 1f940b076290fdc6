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

/** What a guide installs: the files that are built, viem, and what checks types. */
const packageOf =
  /^(viem|--save-dev|typescript|@types\/node|\.\.\/castellan-packages\/castellan-(sdk|cli|react)\.tgz)$/;

/** The repository's folder, from the folder beside it in which the guides work. */
const repository = '../castellan/';

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

/** Files are named from the repository's folder or from the one beside it, into which examples are copied. */
function fileFault(root: string, file: string): string | undefined {
  const path = file.startsWith(repository) ? file.slice(repository.length) : file;
  const places = path === file ? ['.', 'docs/examples'] : ['.'];
  return places.some((place) => existsSync(join(root, place, path))) ? undefined : `there is no file ${file}`;
}

/** What is wrong with a command of a guide, as far as the sources can say; undefined when nothing is. */
export function commandFault(root: string, command: string): string | undefined {
  const [program = '', ...words] = command.split(/\s+/);
  const [first = ''] = words;
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  if (program === 'curl') return curlFault(command);
  if (program === 'npm') return npmFault(root, words);
  if (program === 'node' || program === 'cp') return fileFault(root, first);
  if (program === 'castellan')
    return read('docs/cli.md').includes(`### castellan ${first}`) ? undefined : `there is no command ${first}`;
  return `nothing is known of ${program}`;
}

/** Programs of docs/examples and docs/api, which the compiler checks. */
export const examplePrograms = (root: string): string[] =>
  globSync('docs/{examples,api}/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
