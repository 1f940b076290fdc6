import { readFileSync } from 'node:fs';
import { servicesConf } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { target } from './bus-accounts.ts';
import { databases, deploySecrets, filledIn } from './castellan/secrets.ts';

test('default: deploy/nats/castellan.conf is what the contracts make; else run node tools/bus-accounts.ts', () => {
  expect(readFileSync(target, 'utf8')).toBe(servicesConf('castellan'));
});

test('behavior: the services of compose have the secrets that are mounted, each its own and all of them made', () => {
  let count = 0;
  const files = deploySecrets(() => {
    count += 1;
    return `${count}`.padStart(64, 'a');
  });
  const compose = readFileSync(new URL('../docker-compose.yml', import.meta.url), 'utf8');
  const mounted = [...compose.matchAll(/^ {2}([\w.-]+): \{ file: \.\/deploy\/secrets\/([\w.-]+) \}$/gm)];
  for (const [, name, file] of mounted) expect([name, file]).toEqual([file, name]);
  const unmounted = ['nats.env', 'nats-url-operator', 'nats-url-reader', 'mongodb-exporter.env', 'backup.passphrase'];
  expect(mounted.map(([, name]) => name).sort()).toEqual(
    Object.keys(files)
      .filter((name) => !unmounted.includes(name))
      .sort(),
  );
  const texts = Object.entries(files).flatMap(([name, text]) => (filledIn.includes(name) ? [] : [text]));
  expect(new Set(texts).size).toBe(texts.length);
  for (const user of Object.keys(databases)) {
    const password = /^nats:\/\/\w+:(\w+)@/.exec(String(files[`nats-url-${user}`]))?.[1];
    expect(files['nats.env']).toContain(`NATS_${user.toUpperCase()}_PASSWORD=${password}\n`);
  }
});

test('behavior: the users that the store gets are those of the secrets, each for its own database', () => {
  const script = readFileSync(new URL('../deploy/mongo/init-replica-set.js', import.meta.url), 'utf8');
  const list = /const databases = \{([^}]*)\}/.exec(script)?.[1] ?? '';
  const made = Object.fromEntries([...list.matchAll(/(\w+): '(\w+)'/g)].map(([, user, database]) => [user, database]));
  expect(made).toEqual(databases);
});
