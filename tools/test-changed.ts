import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testSteps } from './check.ts';
import { integrationStep } from './jest-step.ts';
import { runAll } from './run-all.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const code = /\.(ts|tsx|mjs|js|json)$/;
/** What every test stands on, without importing it. */
const base = /^(package-lock\.json|jest\.config\.mjs|tools\/jest\/.*)$/;

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Where this branch left the main branch: the local one, else that of `origin`. */
function forkPoint(): string | undefined {
  for (const main of ['main', 'origin/main']) {
    try {
      git('rev-parse', '--verify', '--quiet', `${main}^{commit}`);
    } catch {
      continue;
    }
    return git('merge-base', 'HEAD', main);
  }
  return undefined;
}

/** Files that differ from the main branch, committed or not, new ones too. */
function changedFiles(from: string): string[] {
  const lines = `${git('diff', '--name-only', from)}\n${git('ls-files', '--others', '--exclude-standard')}`.split('\n');
  return [...new Set(lines)].filter((line) => line !== '');
}

const from = forkPoint();
if (!from) {
  process.stderr.write('There is neither a branch main nor origin/main to compare with: fetch one, or run npm test.\n');
  process.exitCode = 1;
} else {
  const changed = changedFiles(from);
  const everything = changed.some((file) => base.test(file));
  const files = changed.filter((file) => code.test(file) && existsSync(join(root, file)));
  if (!everything && files.length === 0) {
    const what = changed.length === 0 ? 'Nothing differs' : `No code differs (${changed.length} other files do)`;
    process.stdout.write(`${what} from main at ${from.slice(0, 9)}: no tests to run.\n`);
  } else {
    const related = everything ? [] : ['--passWithNoTests', '--findRelatedTests', ...files];
    process.stdout.write(
      everything
        ? `What every test stands on differs from main at ${from.slice(0, 9)}: all unit, web and integration tests.\n`
        : `${files.length} files differ from main at ${from.slice(0, 9)}: tests of them and of what imports them.\n`,
    );
    await runAll([...testSteps(related), integrationStep(root, related)], root, process.argv.includes('--timings'));
  }
}
