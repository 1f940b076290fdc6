import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from './check.ts';
import { type Counts, runJest } from './jest-step.ts';
import { runStep } from './run-step.ts';

/** `npm test`: everything that needs no Docker. Ends with one line that counts all tests. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts: (Counts | undefined)[] = [await check()];
const built = await runStep({
  name: 'build web',
  command: 'npm',
  args: ['run', '-s', 'build', '-w', 'web'],
  cwd: root,
});
parts.push(await runJest(['integration'], root));
parts.push(...(await Promise.all([runJest(['e2e'], root), runJest(['faults'], root)])));

const total = { passed: 0, failed: built ? 0 : 1, skipped: 0 };
for (const part of parts) {
  total.passed += part?.passed ?? 0;
  total.failed += part?.failed ?? 1;
  total.skipped += part?.skipped ?? 0;
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
