import { createRequire } from 'node:module';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { displayOf } from './display-of.ts';
import NativeEnvironment from './native-environment.ts';

const require = createRequire(import.meta.url);

/** What jsdom has and Node has too, where elements ask for jsdom's own. */
const fromDom = new Set([
  ...['AbortController', 'AbortSignal', 'Blob', 'CloseEvent', 'CustomEvent', 'DOMException', 'Event', 'EventTarget'],
  ...['File', 'FormData', 'MessageEvent', 'Storage', 'localStorage', 'navigator', 'sessionStorage'],
]);

/** A page on the process's own globals. There is one for all files of a process: React and its tools keep hold of it. */
export default class DomEnvironment extends NativeEnvironment {
  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    if (!('document' in globalThis)) openPage();
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    document.body.replaceChildren();
    document.head.replaceChildren();
    for (const { name } of [...document.documentElement.attributes]) document.documentElement.removeAttribute(name);
    // What user-event puts there takes no value but its own.
    Reflect.deleteProperty(navigator, 'clipboard');
    localStorage.clear();
    sessionStorage.clear();
    history.replaceState(null, '', '/');
  }
}

function openPage(): void {
  const styles = require.resolve('jsdom/lib/jsdom/browser/default-stylesheet.js');
  const exports = displayOf(require(styles) as string);
  Object.assign(require.cache[styles] as NodeModule, { exports });
  const { JSDOM, VirtualConsole } = require('jsdom') as typeof import('jsdom');
  const virtualConsole = new VirtualConsole();
  virtualConsole.on('jsdomError', (error) => console.error(error));
  const page = new JSDOM('<!DOCTYPE html>', { pretendToBeVisual: true, url: 'http://localhost/', virtualConsole });
  const window = page.window as unknown as Record<string, unknown>;
  for (const name of allNames(page.window)) {
    if (name in globalThis && !fromDom.has(name)) continue;
    const value = window[name];
    const method = typeof value === 'function' && !/^[A-Z]/.test(name);
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: true,
      writable: true,
      value: method ? (value as () => unknown).bind(page.window) : value,
    });
  }
  // window.event changes while an event is dispatched: React reads its priority there.
  Object.defineProperty(globalThis, 'event', { configurable: true, get: () => window.event });
  Object.assign(globalThis, { window: globalThis, self: globalThis, top: globalThis, parent: globalThis });
}

function allNames(object: object): Set<string> {
  const names = new Set<string>();
  for (let at: object | null = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name);
  }
  return names;
}
