import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Options, transformSync } from '@swc/core';

/**
 * Loads test files with Node's own loader instead of into a `vm` context per file, so that a module is compiled and
 * evaluated once per worker process and not once per test file: that was two thirds of the time of all unit tests.
 * The price: test files of one process share the state of the modules they import, and nothing can be mocked by module
 * name (nothing is). jest keeps the rest: its runner, its workers, its reports, `--randomize`.
 */
const require = createRequire(import.meta.url);
// Its types describe a CommonJS module, whose default an import would not be.
const { default: Runtime } = require('jest-runtime') as typeof import('jest-runtime');
const globalsUrl = 'jest-globals:';
const names = [
  ...['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest', 'test', 'fdescribe'],
  ...['fit', 'xdescribe', 'xit', 'xtest'],
];
const tsx: Options = {
  jsc: {
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic' } },
    target: 'es2024',
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
type Globals = Record<string, unknown>;

/** `@jest/globals`, with bindings that are set for each test file: a shared module sees those of the current one. */
const globalsSource = `export let ${names.join(', ')};
export const set = (globals) => { ({ ${names.join(', ')} } = globals); };`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' || specifier === globalsUrl
      ? { url: globalsUrl, format: 'module', shortCircuit: true }
      : next(specifier, context),
  load(url, context, next) {
    if (url === globalsUrl) return { source: globalsSource, format: 'module', shortCircuit: true };
    if (!url.endsWith('.tsx')) return next(url, context);
    const source = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
      ...tsx,
      filename: fileURLToPath(url),
    }).code;
    return { source, format: 'module', shortCircuit: true };
  },
});

export default class NativeRuntime extends Runtime {
  private globals: Globals = {};

  override setGlobalsForRuntime(globals: Parameters<InstanceType<typeof Runtime>['setGlobalsForRuntime']>[0]): void {
    super.setGlobalsForRuntime(globals);
    this.globals = globals as unknown as Globals;
  }

  override async unstable_importModule(path: string): Promise<void> {
    const { set } = (await import(globalsUrl)) as { set: (globals: Globals) => void };
    const { jestGlobals } = this as unknown as { jestGlobals: { cjsGlobals: (from: string) => { jest: unknown } } };
    set({ ...this.globals, jest: jestGlobals.cjsGlobals(path).jest });
    const module = (await import(pathToFileURL(path).href)) as { forEachFile?: () => void };
    module.forEachFile?.();
  }

  /** jest's own modules. The one that holds the tests of a file is loaded anew for each file. */
  override requireInternalModule<T>(from: string): T {
    delete require.cache[from];
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    return require(from) as T;
  }
}
