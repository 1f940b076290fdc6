import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * The process itself as a test environment, without a `vm` context: see `native-runtime.ts`. What a test file may have
 * changed for the next one of the same process is put back: environment variables, console and globals.
 */
export default class NativeEnvironment implements JestEnvironment {
  global = globalThis as unknown as JestEnvironment['global'];
  fakeTimers = null;
  fakeTimersModern: ModernFakeTimers;
  moduleMocker = new ModuleMocker(globalThis);
  private before = { env: { ...process.env }, console: globalThis.console, exit: process.exit };

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    // A library that met a page while it loaded would take this process for a browser.
    if (this.constructor === NativeEnvironment && 'document' in globalThis)
      throw new Error('Web tests ran in this process. Run other projects separately: --selectProjects unit.');
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {
    // Nothing to prepare: a `vm` environment would build its globals here.
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    globalThis.console = this.before.console;
    process.exit = this.before.exit;
    for (const name of Object.keys(process.env)) if (!(name in this.before.env)) delete process.env[name];
    Object.assign(process.env, this.before.env);
    // Tracing can be set up once per process, so that a file which does would leave none to the next.
    Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'));
  }

  getVmContext(): null {
    return null;
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }
}
