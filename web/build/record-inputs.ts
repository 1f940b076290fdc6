import { existsSync, globSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Plugin, PluginOption, ResolvedConfig } from 'vite';
import { type BuildInputs, hashOfFile, hashOfGlob, inputsFile } from './inputs.ts';

/** The files above a module that decide how it is resolved and compiled. */
const describing = ['package.json', 'tsconfig*.json'];

type Node = { type: string; [key: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The patterns of every `import.meta.glob` call below a node. */
function globPatterns(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(globPatterns);
  if (!isNode(node)) return [];
  const below = Object.values(node).flatMap(globPatterns);
  const { type, callee, arguments: given } = node;
  const isGlob =
    type === 'CallExpression' &&
    isNode(callee) &&
    isNode(callee.object) &&
    callee.object.type === 'MetaProperty' &&
    isNode(callee.property) &&
    callee.property.name === 'glob';
  if (!isGlob || !Array.isArray(given) || !isNode(given[0])) return below;
  const listed = given[0].type === 'ArrayExpression' ? (given[0].elements as unknown[]) : [given[0]];
  const patterns = listed.map((each) => (isNode(each) ? each.value : undefined));
  return [...below, ...patterns.filter((each): each is string => typeof each === 'string' && !each.startsWith('!'))];
}

/** The hooks in which plugins read files of their own. */
const readingHooks = ['buildStart', 'load', 'transform', 'generateBundle'] as const;

type Hook = (this: object, ...args: unknown[]) => unknown;

/** Calls back with each file that the plugin declares with `addWatchFile`; rolldown has no list of them. */
function observe(plugin: Plugin, onFile: (file: string) => void): void {
  const observing = (hook: Hook): Hook =>
    function (...args) {
      const context = new Proxy(this, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            if (key === 'addWatchFile') onFile(String(given[0]));
            return value.apply(target, given);
          };
        },
      });
      return hook.apply(context, args);
    };
  const hooks = plugin as unknown as Record<string, Hook | { handler: Hook } | undefined>;
  for (const name of readingHooks) {
    const hook = hooks[name];
    if (typeof hook === 'function') hooks[name] = observing(hook);
    else if (hook) hook.handler = observing(hook.handler);
  }
}

const flat = (option: PluginOption): Plugin[] => {
  if (Array.isArray(option)) return option.flatMap(flat);
  return option && 'name' in option ? [option] : [];
};

/**
 * Writes beside a build what it was made of, taken from the build itself: its modules, what plugins declared to have read
 * (`addWatchFile`), what `import.meta.glob` and Tailwind's scan would match, the public folder, the configuration with
 * what it imports. Of installed packages the lockfile stands for all.
 */
export function recordInputs(root: string, plugins: PluginOption[]): PluginOption[] {
  let config: ResolvedConfig;
  let startedAt = 0;
  let isWritten = false;
  const files = new Set<string>();
  const globs = new Set<string>();

  const add = (path: string): void => {
    const file = relative(root, existsSync(path) ? realpathSync(path) : path);
    if (file.startsWith('..') || /(^|\/)(node_modules|dist)\//.test(file)) return;
    if (!statSync(join(root, file), { throwIfNoEntry: false })?.isDirectory()) files.add(file);
  };
  const addGlob = (pattern: string): void => {
    globs.add(relative(root, pattern));
    for (const file of globSync(pattern)) add(file);
  };
  const addModule = (id: string): void => {
    const [path = ''] = id.split('?');
    if (!isAbsolute(path) || !existsSync(path)) return;
    add(path);
  };
  const addAbove = (): void => {
    const folders = new Set<string>();
    for (const file of files) {
      for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    }
    for (const folder of folders) {
      for (const name of describing) for (const file of globSync(join(root, folder, name))) add(file);
    }
  };

  const recorder: Plugin = {
    name: 'record-inputs',
    apply: 'build',
    enforce: 'pre',
    configResolved(resolved) {
      config = resolved;
    },
    buildStart() {
      startedAt = Date.now();
      isWritten = false;
      files.clear();
      globs.clear();
    },
    transform: {
      // The calls are gone once vite has expanded them.
      filter: { code: 'import.meta.glob' },
      handler(code, id) {
        for (const pattern of globPatterns(this.parse(code, { lang: 'tsx' }))) {
          addGlob(pattern.startsWith('/') ? join(config.root, pattern) : resolve(dirname(id), pattern));
        }
      },
    },
    generateBundle() {
      for (const id of this.getModuleIds()) addModule(id);
      for (const path of config.configFileDependencies) add(path);
      if (config.publicDir) addGlob(join(config.publicDir, '**'));
      if (config.envDir) addGlob(join(config.envDir, '.env*'));
      addAbove();
      add(join(root, 'package-lock.json'));
    },
    writeBundle() {
      isWritten = true;
    },
    // After every plugin has written its part; it runs after a failed build, too.
    closeBundle() {
      if (!isWritten) return;
      // What changed during the build may have been read before: it counts as changed.
      const isOlder = (file: string) =>
        (statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) < startedAt;
      const inputs: BuildInputs = {
        node_env: process.env.NODE_ENV ?? '',
        files: Object.fromEntries([...files].sort().map((file) => [file, isOlder(file) ? hashOfFile(root, file) : ''])),
        globs: Object.fromEntries([...globs].sort().map((pattern) => [pattern, hashOfGlob(root, pattern)])),
      };
      writeFileSync(join(config.root, config.build.outDir, inputsFile), JSON.stringify(inputs, null, 1));
    },
  };
  const watched = (path: string): void => {
    if (path.includes('*')) addGlob(resolve(config.root, path));
    else add(resolve(config.root, path));
  };
  for (const plugin of plugins.flatMap(flat)) observe(plugin, watched);
  return [recorder, ...plugins];
}
