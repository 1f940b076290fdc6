import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Packs a built package as npm would fetch it, into `castellan-<name>.tgz` beside its folder. npm makes a link of a folder
 * and installs nothing that the package needs; of a file it does. Its name has no version, so that a guide can say it.
 */
export function pack(folder: string): string {
  const to = mkdtempSync(join(dirname(folder), 'packing-'));
  try {
    const options = ['--offline', '--ignore-scripts', '--json', '--pack-destination', to];
    const said = execFileSync('npm', ['pack', ...options], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ filename }] = JSON.parse(said) as [{ filename: string }];
    const packed = join(dirname(folder), `castellan-${basename(folder)}.tgz`);
    renameSync(join(to, filename), packed);
    return packed;
  } finally {
    rmSync(to, { recursive: true, force: true });
  }
}
