import { readFileSync } from 'node:fs';
import { createRequire, type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { recordCoverage } from '../covered/record.ts';
import { moduleAddresses, withoutQuery } from './module-addresses.ts';
import { tsx } from './tsx.ts';

/**
 * Loads test files with Node's own loader instead of into a `vm` context per file, so that a package of node_modules is
 * compiled and evaluated once per worker process and not once per test file: that was two thirds of the time of all unit
 * tests. Modules of this repository are evaluated anew for each test file, so that none finds the state that another left;
 * only those that keep none, schemas and ABIs, are evaluated once.
 * Nothing can be mocked by module name (nothing is). jest keeps the rest: its runner, its workers, its reports, `--randomize`.
 */
const require = createRequire(import.meta.url);
// Its types describe a CommonJS module, whose default an import would not be.
const { default: Runtime } = require('jest-runtime') as typeof import('jest-runtime');
const globalsUrl = 'jest-globals:';
const names = [
  ...['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest', 'test', 'fdescribe'],
  ...['fit', 'xdescribe', 'xit', 'xtest'],
];
type Globals = Record<string, unknown>;

/** `@jest/globals`, with bindings that are set for each test file: a shared module sees those of the current one. */
const globalsSource = `export let ${names.join(', ')};
export const set = (globals) => { ({ ${names.join(', ')} } = globals); };`;

const repository = pathToFileURL(`${dirname(dirname(import.meta.dirname))}/`).href;
/** Counts test files: part of the address of our modules, by which Node separates one evaluation from another. */
let testFile = 0;
const { COVERAGE_FOLDER } = process.env;
/** Before any of our modules is loaded: V8 counts for those that come after. */
const coverage = COVERAGE_FOLDER ? recordCoverage(COVERAGE_FOLDER, repository) : undefined;
const { addressOf, isOurs } = moduleAddresses(repository, { sharesStateless: !coverage?.asksOften });
const transformed = new Map<string, string>();

/** A module without its types; its code is kept, since each test file evaluates it anew. */
function codeOf(path: string): string {
  const known = transformed.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const code = path.endsWith('x') ? transformSync(text, { ...tsx, filename: path }).code : stripTypeScriptTypes(text);
  transformed.set(path, code);
  return code;
}

/** Where our modules import from: each test file asks for the same again. */
const resolutions = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals' || specifier === globalsUrl)
      return { url: globalsUrl, format: 'module', shortCircuit: true };
    const importer = withoutQuery(context.parentURL ?? '');
    const key = isOurs(importer) ? [importer, specifier, ...context.conditions].join(' ') : undefined;
    const resolved = (key && resolutions.get(key)) || next(specifier, context);
    if (key) resolutions.set(key, resolved);
    return { ...resolved, url: addressOf(resolved.url, { importer, testFile }), shortCircuit: true };
  },
  load(url, context, next) {
    if (url === globalsUrl) return { source: globalsSource, format: 'module', shortCircuit: true };
    const address = withoutQuery(url);
    if (address.endsWith('.tsx') || (address.endsWith('.ts') && isOurs(address)))
      return { source: codeOf(fileURLToPath(address)), format: 'module', shortCircuit: true };
    // A package that is made for bundlers imports JSON without saying so.
    if (address.endsWith('.json') && context.importAttributes && !context.importAttributes.type)
      return {
        source: `export default ${readFileSync(fileURLToPath(address), 'utf8')}`,
        format: 'module',
        shortCircuit: true,
      };
    return next(url, context);
  },
});

export default class NativeRuntime extends Runtime {
  private globals: Globals = {};

  constructor(...args: ConstructorParameters<typeof Runtime>) {
    super(...args);
    testFile += 1;
  }

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

  override teardown(): void {
    coverage?.endOfTestFile(testFile);
    super.teardown();
  }
}
