import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import type { Circus } from '@jest/types';
import NativeEnvironment from '../../tools/jest/native-environment.ts';
import { folderOf, keepLogs, keepPage, type LogMarks, markLogs } from './failure-folder.ts';
import { testMs } from './patience.ts';
import { untilServicesReady } from './readiness.ts';
import { watchedPages } from './watched-pages.ts';

const nameOf = (test: Circus.TestEntry): string => {
  const names = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent) names.unshift(block.name);
  return names.join(' ');
};

/** An error of the tests, which have classes of their own. */
const isError = (error: unknown): error is { stack: string } =>
  typeof error === 'object' && error !== null && 'stack' in error && typeof error.stack === 'string';

/** Puts text behind an error's message, before the lines of its stack. */
function appendTo(error: { stack: string }, text: string): void {
  const end = error.stack.search(/\n\s+at /);
  error.stack =
    end === -1 ? `${error.stack}\n${text}` : `${error.stack.slice(0, end)}\n${text}${error.stack.slice(end)}`;
}

/** What jest keeps of an error: itself, or with one that knows where the test stands. */
function withText(kept: Circus.TestError, error: unknown, text: string): Circus.TestError {
  return Array.isArray(kept) && kept[0] === error ? [`${error}\n\n${text}`, kept[1]] : kept;
}

/**
 * The environment of tests of the whole system. A file begins when all services are ready. A failed test leaves a folder with the picture, console and network log of
 * each of its pages and with what the services logged meanwhile; its message says what was on the pages. Pages that a test
 * opened are closed behind it.
 */
export default class FailureEnvironment extends NativeEnvironment {
  readonly #testPath: string;
  #marks: LogMarks = new Map();
  #pagesBefore = 0;
  #isKept = false;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    this.#testPath = context.testPath;
  }

  async handleTestEvent(event: Circus.AsyncEvent, state: Circus.State): Promise<void> {
    if (event.name === 'run_start') {
      state.testTimeout = testMs;
      const { E2E_STATE_DIR: stateDir, E2E_RPC_URL: rpcUrl } = process.env;
      if (stateDir && rpcUrl) await untilServicesReady(stateDir, rpcUrl);
    }
    if (event.name === 'test_start') {
      this.#marks = markLogs(process.env.E2E_STATE_DIR);
      this.#pagesBefore = watchedPages(this.global).length;
      this.#isKept = false;
    }
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') await this.#keep(event.error, event.test);
    if (event.name === 'test_done') await this.#closePages();
  }

  /** Only for the first error of a test: those of its hooks follow from it. */
  async #keep(error: unknown, test: Circus.TestEntry | undefined): Promise<void> {
    if (this.#isKept) return;
    this.#isKept = true;
    const folder = folderOf(this.#testPath, test ? nameOf(test) : 'before the tests');
    keepLogs(folder, process.env.E2E_STATE_DIR, this.#marks);
    const shown: string[] = [];
    for (const [index, watched] of watchedPages(this.global).entries())
      shown.push(await keepPage(folder, watched, `page-${index + 1}`));
    const text = [...shown.filter((part) => part !== ''), `  kept in ${relative(process.cwd(), folder)}`].join('\n');
    if (isError(error)) appendTo(error, `\n${text}`);
    // Jest's own message, that a test took too long, is a text.
    else if (test) test.errors = test.errors.map((kept) => withText(kept, error, text));
    writeFileSync(join(folder, 'message.txt'), `${isError(error) ? error.stack : `${error}\n\n${text}`}\n`);
  }

  async #closePages(): Promise<void> {
    const opened = watchedPages(this.global).splice(this.#pagesBefore);
    await Promise.all(
      opened.map(({ page }) =>
        page
          .context()
          .close()
          .catch(() => undefined),
      ),
    );
  }
}
