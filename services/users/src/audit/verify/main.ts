import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { Unreadable } from './export-file.ts';
import { verifyExport } from './verify.ts';

const usage = `npm run verify:audit -- <file> [--head <hash>] [--any-layout] [--filtered]

Verifies an export of the audit log (JSON or NDJSON) by itself: no network, no database.
  --head <hash>  a head that was noted earlier must be among the rows
  --any-layout   white space may differ from what the export wrote
  --filtered     the file was exported with filters: check the rows that are there
Ends with 0 when the file is whole, 1 when it is broken, 2 when it was asked wrongly.`;

/** @throws Error when the arguments are wrong or the file cannot be opened. */
function readRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { head: { type: 'string' }, 'any-layout': { type: 'boolean' }, filtered: { type: 'boolean' } },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new Error('Name one file.');
  const { head, filtered = false, 'any-layout': anyLayout = false } = values;
  return { text: readFileSync(path, 'utf8'), options: { head, anyLayout, filtered } };
}

/** @returns the exit code. */
export function run(
  args: readonly string[],
  { stdout, stderr }: Record<'stdout' | 'stderr', Pick<Writable, 'write'>>,
): number {
  let request: ReturnType<typeof readRequest>;
  try {
    request = readRequest(args);
  } catch (error) {
    stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    return 2;
  }
  try {
    const { ok, line } = verifyExport(request.text, request.options);
    stdout.write(`${line}\n`);
    return ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    stdout.write(`broken: ${error.message}\n`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = run(process.argv.slice(2), process);
