import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, 'docs', file), 'utf8');
/** `12 100` as a number. */
const numberOf = (text = '') => Number(text.replaceAll(' ', ''));

test('behavior: how long a rebuild of a million entries takes is what was measured', () => {
  const measured = read('performance.md');
  const page = read('operations/backup.md');
  const figures = {
    'the log, from the chain': /\*\*([\d ]+) events a second by the clock\*\*/,
    'analytics, from the log': /projected\s+at ([\d ]+) events a second/,
  };
  for (const [what, pattern] of Object.entries(figures)) {
    const perSecond = numberOf(pattern.exec(measured)?.[1]);
    const [, stated, seconds] = new RegExp(`\\| ${what} \\| ([\\d ]+) \\| (\\d+) s \\|`).exec(page) ?? [];
    expect([what, numberOf(stated), Number(seconds)]).toEqual([what, perSecond, Math.round(1e6 / perSecond)]);
  }
});

test('behavior: a restore suspends each schedule before it empties the store, and resumes it with the services', () => {
  const page = read('operations/backup.md');
  const steps = page.slice(page.indexOf('\n## Restore\n'), page.indexOf('\n### The keeper\n')).split(/^(?=\d\. )/m);
  const [empty = '', restore = '', start = ''] = ['1. ', '2. ', '3. '].map((number) =>
    steps.find((step) => step.startsWith(number)),
  );
  const schedules = [
    ['systemctl stop castellan-backup.timer', 'systemctl start castellan.target castellan-backup.timer'],
    ['mv /etc/cron.d/castellan-backup /root/', '/etc/cron.d/castellan-backup\n'],
    [`'{"spec":{"suspend":true}}'`, `'{"spec":{"suspend":false}}'`],
  ];
  const emptied = empty.matchAll(/--eval "\$(?:DROP|1)"/g);
  for (const [suspend = '', resume = ''] of schedules) {
    expect([suspend, empty.includes(suspend), start.includes(resume)]).toEqual([suspend, true, true]);
    expect([suspend, empty.indexOf(suspend) < Number(emptied.next().value?.index)]).toEqual([suspend, true]);
  }
  expect(restore).toContain('job/backup-shell');
});

test('behavior: the shell of the job of backups lasts as long as a job may: a restore may take hours', () => {
  const [, seconds] = /\["sleep", "(\d+)"\]/.exec(read('operations/kubernetes.md')) ?? [];
  const jobs = readFileSync(join(root, 'deploy/kubernetes/test/example/jobs.yaml'), 'utf8');
  expect(jobs).toContain(`activeDeadlineSeconds: ${seconds}\n`);
});
