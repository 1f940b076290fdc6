import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildah, hasImage, runProgram } from './buildah.ts';

const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** Where the npm on the path is. `npm root --global` names a folder beside the Node that runs it: the lockfile's, which brings no npm. */
export const npmFolder = (): string =>
  dirname(dirname(runProgram('sh', ['-c', 'readlink -f "$(command -v npm)"'], { quiet: true })));

/** Debian's smallest system with Node, npm and the user `node`, as the image of that name on Docker Hub has them. */
function fill(folder: string, root: string): void {
  runProgram('debootstrap', ['--variant=minbase', 'bookworm', folder], { quiet: true });
  rmSync(join(folder, 'var/cache/apt/archives'), { recursive: true, force: true });
  copyFileSync(join(root, 'node_modules/node/bin/node'), join(folder, 'usr/local/bin/node'));
  cpSync(npmFolder(), join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'));
  // npm reaches the registry by what this machine trusts, which may be a proxy.
  mkdirSync(join(folder, dirname(certificates)), { recursive: true });
  copyFileSync(certificates, join(folder, certificates));
  mkdirSync(join(folder, 'usr/local/etc'), { recursive: true });
  writeFileSync(join(folder, 'usr/local/etc/npmrc'), `cafile=${certificates}\n`);
  runProgram('chroot', [folder, 'groupadd', '--gid', '1000', 'node']);
  runProgram('chroot', [folder, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
}

/** Makes the image that the Dockerfile begins with, under its name, where no registry can be reached. An image of this name is kept. */
export function makeBase(root: string, name: string): void {
  if (hasImage(name)) return;
  const folder = mkdtempSync(join(tmpdir(), 'castellan-base-'));
  try {
    fill(folder, root);
    const container = buildah(['from', 'scratch'], { quiet: true });
    buildah(['copy', '--quiet', container, folder, '/']);
    buildah(['config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container]);
    buildah(['commit', '--quiet', '--rm', container, name]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
