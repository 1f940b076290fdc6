import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { summaryOf } from './summary.ts';
import { NotVerified, UnusableKeys, verifyAttestation } from './verify.ts';

const usage = `npm run verify:attestation -- <file> --keys <keys>

Verifies the attestation of a mandate by itself: no network, no database.
  --keys <keys>  a saved /.well-known/castellan-attestations.json of the installation that signed it
Ends with 0 when the file is what the key signed, whatever it says of the promises; 1 when it is not; 2 when it could not be checked.`;

/** @throws Error when the arguments are wrong or a file cannot be opened. */
function readRequest(args: readonly string[]): { file: string; keys: string } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { keys: { type: 'string' } },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new Error('Name one file.');
  if (values.keys === undefined) throw new Error('Name the keys: --keys castellan-attestations.json.');
  return { file: readFileSync(path, 'utf8'), keys: readFileSync(values.keys, 'utf8') };
}

/** @returns the exit code. */
export async function run(
  args: readonly string[],
  { stdout, stderr }: Record<'stdout' | 'stderr', Pick<Writable, 'write'>>,
): Promise<number> {
  try {
    const { file, keys } = readRequest(args);
    stdout.write(summaryOf(await verifyAttestation(file, keys)));
    return 0;
  } catch (error) {
    if (error instanceof NotVerified) {
      stdout.write(`not verified: ${error.message}\n`);
      return 1;
    }
    stderr.write(`${(error as Error).message}\n${error instanceof UnusableKeys ? '' : `\n${usage}\n`}`);
    return 2;
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), process);
