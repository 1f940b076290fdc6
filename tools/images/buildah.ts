import { spawnSync } from 'node:child_process';

/** Runs a program to its end, showing what it prints unless its output is wanted. @throws Error when it fails. */
export function runProgram(
  command: string,
  args: readonly string[],
  { quiet = false, cwd = process.cwd() } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  });
  if (error) throw new Error(`${command} is missing: ${error.message}. See docs/operations/images.md.`);
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} failed.\n${stderr ?? ''}`);
  return (stdout ?? '').trim();
}

/** Storage without overlays and containers without namespaces: what works where Docker does not. Its images stay apart from others. */
const storage = ['--storage-driver', 'vfs'];

export const buildah = (args: readonly string[], options: { quiet?: boolean; cwd?: string } = {}): string =>
  runProgram('buildah', [...storage, ...args], options);

export const hasImage = (name: string): boolean =>
  spawnSync('buildah', [...storage, 'inspect', '--type', 'image', name], { stdio: 'ignore' }).status === 0;
