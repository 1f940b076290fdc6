import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BusServiceName } from '@castellan/contracts';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { alsoRequired, readEnvironments } from '../../deploy/kubernetes/src/environments.ts';
import { bundledPath, bundledServices, preload, programs } from '../bundle/programs.ts';
import { readEnvFile } from '../castellan/doctor/processes.ts';
import { deploySecrets } from '../castellan/secrets.ts';
import { credentialsOf, environmentOf, readUnit, valuesOf } from './units.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shipped = join(root, 'deploy/systemd');
const services = ['gateway', 'auth', 'vaults', 'analytics', 'users', 'ai', 'keeper'] as const;
const environments = await readEnvironments(services as readonly BusServiceName[]);
const install = readFileSync(join(root, 'docs/operations/install.md'), 'utf8');
const unitOf = (service: string) => readUnit(folder, `castellan@${service}.service`);
const secrets = '/etc/castellan/secrets/';

/** The files that the page has the operator write. */
const written = new Map(
  [...install.matchAll(/cat > (\S+) <<'END'\n([\s\S]*?)\nEND\n/g)].map(([, file, text]) => [`${file}`, `${text}`]),
);

/** The units with the drop-ins that the page has the operator write. */
const scratch = mkdtempSync(join(tmpdir(), 'castellan-units-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const folder = join(scratch, 'system');
cpSync(shipped, folder, { recursive: true });
const dropIns = [...written].filter(([file]) => file.startsWith('/etc/systemd/system/'));
for (const [file, text] of dropIns) {
  const path = join(folder, file.slice('/etc/systemd/system/'.length));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${text}\n`);
}
const settings = readEnvFile(written.get('/etc/castellan/castellan.env') ?? '');
/** Read by Node, or facts of the installation. */
const ofInstallation = ['NODE_OPTIONS', 'CASTELLAN_VERSION', 'CASTELLAN_COMMIT'];

test('behavior: streams have a limit, which the server of the bus has room for: here and with compose', () => {
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const limits = {
    'host.conf': settings.NATS_STREAMS_MAX_MB,
    'nats.conf': /NATS_STREAMS_MAX_MB: "(\d+)"/.exec(compose)?.[1],
  };
  for (const [file, limit] of Object.entries(limits)) {
    const conf = readFileSync(join(root, 'deploy/nats', file), 'utf8');
    const [, gibibytes] = /max_file_store: (\d+)GB/.exec(conf) ?? [];
    expect([file, Number(limit) * 1e6]).toEqual([file, expect.any(Number)]);
    expect(Number(limit) * 1e6).toBeLessThan(Number(gibibytes) * 2 ** 30);
  }
});

describe.each(services)('castellan@%s', (service) => {
  const unit = unitOf(service);
  const shape = environments.get(service)?.shape ?? {};
  const given = environmentOf(unit, '/credentials');
  const setBy = (variable: string) => (variable in shape ? variable : variable.replace(/_FILE$/, ''));

  test('default: every variable exists in the schema of the service, with a value that it takes', () => {
    const unknown = [...given.keys()].filter((name) => !ofInstallation.includes(name) && !(setBy(name) in shape));
    expect(unknown).toEqual([]);
    for (const [variable, value] of [...given, ...Object.entries(settings)])
      expect([variable, shape[variable]?.safeParse(value).error?.issues]).toEqual([variable, undefined]);
  });

  test('behavior: every required variable is set, by the unit or by the file that the page has written', () => {
    const required = Object.keys(shape).filter(
      (variable) => alsoRequired.includes(variable) || !shape[variable]?.safeParse(undefined).success,
    );
    const set = [...given.keys(), ...Object.keys(settings)].map(setBy);
    expect(required.filter((variable) => !set.includes(variable))).toEqual([]);
  });

  test('security: it is handed its own secrets by file, each of which is made or named by the page', () => {
    const credentials = credentialsOf(unit);
    const files = [...given].flatMap(([name, value]) => (name.endsWith('_FILE') ? [value] : []));
    expect(files.sort()).toEqual([...credentials.keys()].map((name) => `/credentials/${name}`).sort());
    const made = [
      ...Object.keys(deploySecrets(() => 'x'.repeat(64))),
      ...['public', service].map((name) => `service-keys/${name}.json`),
    ];
    for (const file of credentials.values()) {
      const isNamed = install.includes(file) || made.includes(file.slice(secrets.length));
      expect([file, file.startsWith(secrets), isNamed]).toEqual([file, true, true]);
    }
    const others = services.filter((other) => other !== service);
    const ofOthers = [...credentials.values()].filter((file) => others.some((other) => file.endsWith(`-${other}`)));
    expect(ofOthers).toEqual([]);
  });

  test('behavior: it starts a program of the installation', () => {
    const [command = '', ...more] = valuesOf(unit, 'Service.ExecStart');
    const [node, flag, first, program = ''] = command.split(' ');
    expect([node, flag, first, more]).toEqual(['/opt/castellan/bin/node', '--import', `./${bundledPath(preload)}`, []]);
    const installed = bundledServices.flatMap((name) =>
      programs[name].map((file) => `services/${name}/${bundledPath(file)}`),
    );
    expect(installed).toContain(program);
    expect(program.includes('keeper')).toBe(service === 'keeper');
  });
});

test('default: the gateway asks the chat where the service of it listens, and believes the proxy of this machine', () => {
  const gateway = environmentOf(unitOf('gateway'), '');
  const port = environments.get('ai')?.shape.AI_HTTP_PORT?.safeParse(undefined).data;
  expect(gateway.get('AI_HTTP_URL')).toBe(`http://127.0.0.1:${port}`);
  expect(gateway.get('TRUST_PROXY')).toBe('127.0.0.1');
});

test('behavior: Prometheus asks each service at the port where it listens, and the keeper and others by their files', () => {
  const config = readFileSync(join(root, 'deploy/prometheus/prometheus.host.yml'), 'utf8');
  const targets = readFileSync(join(root, 'deploy/prometheus/targets/services.host.yml'), 'utf8');
  expect(install).toContain('targets/services.host.yml /etc/prometheus/targets/services.yml');
  for (const service of services) {
    const port = environments.get(service)?.shape.MONITORING_PORT?.safeParse(undefined).data;
    const isListed = targets.includes(`["127.0.0.1:${port}"]\n  labels: { service: ${service} }`);
    expect([service, isListed]).toEqual([service, service !== 'keeper']);
    if (service === 'keeper') expect(written.get('/etc/prometheus/targets/keeper.yml')).toContain(`127.0.0.1:${port}`);
  }
  const asked = [...config.matchAll(/targets\/[\w-]+\.yml/g)].map(([file]) => file);
  const ofPage = [...install.matchAll(/\/etc\/prometheus\/(targets\/\w+\.yml)/g)].map(([, file]) => `${file}`);
  expect(asked.sort()).toEqual([...new Set(ofPage)].sort());
});

test('default: the exporters are those of compose, of the same versions, and Prometheus asks them on this machine alone', () => {
  const { services: ofCompose } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
    merge: true,
    maxAliasCount: -1,
  }) as {
    services: Record<string, { image: string; command: string[] }>;
  };
  const exporters = [
    {
      name: 'nats-exporter',
      program: 'prometheus-nats-exporter',
      listens: ['-addr=127.0.0.1', '-port=7777'],
      targets: 'nats',
    },
    {
      name: 'mongodb-exporter',
      program: 'mongodb_exporter',
      listens: ['--web.listen-address=127.0.0.1:9216'],
      targets: 'mongodb',
    },
  ];
  for (const { name, program, listens, targets } of exporters) {
    const { image = '', command = [] } = ofCompose[name] ?? {};
    const version = image.split(':')[1];
    expect(install).toMatch(
      new RegExp(
        `^curl -fsSLO https://github\\.com/\\S+/${program}/releases/download/v${version}/${program}-v?${version}\\b`,
        'm',
      ),
    );
    expect(install).toMatch(new RegExp(`^SUM  ${program}-v?${version}\\S+$`, 'm'));
    const [started = '', ...args] =
      valuesOf(readUnit(folder, `castellan-${name}.service`), 'Service.ExecStart')[0]?.split(' ') ?? [];
    expect(started).toBe(`/usr/local/bin/${program}`);
    const ofOurs = command.filter((arg) => !arg.startsWith('-port=') && !arg.startsWith('http:'));
    expect(args).toEqual(expect.arrayContaining([...listens, ...ofOurs]));
    expect(args.filter((arg) => ![...listens, ...ofOurs, 'http://127.0.0.1:8222'].includes(arg))).toEqual([]);
    const port = /(\d+)$/.exec(listens.at(-1) ?? '')?.[1];
    expect(install).toContain(`echo '- targets: ["127.0.0.1:${port}"]' > /etc/prometheus/targets/${targets}.yml`);
    expect(install).toMatch(new RegExp(`^ *systemctl enable --now .*\\bcastellan-${name}\\b`, 'm'));
  }
  expect(readFileSync(join(root, 'deploy/nats/host.conf'), 'utf8')).toContain('http: 127.0.0.1:8222');
});

test('security: no exporter is installed before the sums of its release are written down and fit', () => {
  const [, block = ''] = /(cat > sums <<'END'\n[\s\S]*?castellan-mongodb-exporter)\n/.exec(install) ?? [];
  const files = [...block.matchAll(/^SUM {2}(\S+)$/gm)].map(([, file]) => `${file}`);
  expect(files).toHaveLength(2);
  const place = join(scratch, 'exporters');
  mkdirSync(place);
  for (const file of files) writeFileSync(join(place, file), file);
  const installed = (sums: readonly string[]) => {
    let next = 0;
    const script = block
      .replaceAll(/^SUM/gm, () => `${sums[next++]}`)
      .replace(/ && for each in [\s\S]*/, ' && echo installs');
    return spawnSync('/bin/sh', ['-c', script], { cwd: place, encoding: 'utf8' }).stdout.includes('installs');
  };
  const sums = files.map((file) => createHash('sha256').update(file).digest('hex'));
  expect(installed(sums)).toBe(true);
  for (const wrong of [
    ['SUM', 'SUM'],
    [`${sums[0]}`, 'SUM'],
    [`${sums[0]}`, 'f'.repeat(64)],
  ])
    expect(installed(wrong)).toBe(false);
});

test('security: Prometheus, Alertmanager and the prober listen on this machine alone before anything is started with them', () => {
  const given = [...install.matchAll(/^echo 'ARGS="([^"]*)"' > \/etc\/default\/([\w-]+)$/gm)];
  const packages = [...install.matchAll(/\bprometheus(?:-[a-z-]+)?\b(?=.*\n(?:.*\n)?systemctl disable)/g)].map(String);
  expect(given.map(([, , name]) => name).sort()).toEqual([...new Set(packages)].sort());
  for (const [, args = '', name] of given)
    expect([name, args]).toEqual([name, expect.stringMatching(/--web\.listen-address=127\.0\.0\.1:\d+( |$)/)]);
  expect(given.find(([, , name]) => name === 'prometheus-alertmanager')?.[1]).toMatch(/ --cluster\.listen-address=$/);
});

test('behavior: a validator of the page has ports that nobody else has, at which Prometheus asks it', () => {
  const ports = [...install.matchAll(/(?:metrics|health)_port = (\d+)/g)].map(([, port]) => `${port}`);
  const taken = [...install.matchAll(/(?:listen-address=|http:\/\/)127\.0\.0\.1:(\d+)/g)].map(([, port]) => `${port}`);
  expect(ports).toHaveLength(2);
  expect(taken).toEqual(expect.arrayContaining(['8080', '9090']));
  expect(taken.filter((port) => ports.includes(port))).toEqual([]);
  expect(written.get('/etc/prometheus/targets/validators.yml')).toContain(`["127.0.0.1:${ports[0]}"]`);
});

test('behavior: an upgrade copies no rules over those that an operator edits, and step 7 makes no folder in the folder', () => {
  expect(install).not.toMatch(/cp -r \S+\/rules \S+/);
  expect(install).toContain(`! -name '*-expectations.yml' -exec cp {} /etc/prometheus/rules/`);
  const rules = globSync('deploy/prometheus/rules/*-expectations.yml', { cwd: root }).map((file) => basename(file));
  expect(rules.sort()).toEqual(['process-expectations.yml', 'validator-expectations.yml']);
});

test('behavior: the target starts what is enabled on its machine and nothing else', () => {
  expect(valuesOf(readUnit(folder, 'castellan.target'), 'Unit.Wants')).toEqual([]);
  expect(install).toMatch(/systemctl enable --now castellan\.target castellan-nats /);
});

describe('the backup', () => {
  const unit = readUnit(folder, 'castellan-backup.service');
  const wordsOf = (command = '') => command.split(' ');

  test('behavior: backups of two weeks go, through the link that systemd makes of the folder, and partial ones with them', () => {
    const state = join(scratch, 'private');
    const link = join(scratch, 'castellan-backup');
    mkdirSync(state);
    symlinkSync(state, link);
    const names = ['old.castellan', 'killed.castellan.1.partial', 'new.castellan'];
    for (const name of names) writeFileSync(join(state, name), '');
    for (const name of names.slice(0, 2)) utimesSync(join(state, name), 0, 0);
    // systemd takes words as they are: no shell looks for files that match.
    const [program = '', ...args] = wordsOf(valuesOf(unit, 'Service.ExecStartPost')[0]);
    const { status } = spawnSync(
      program,
      args.map((word) => word.replace('${' + 'STATE_DIRECTORY}', link)),
    );
    expect([status, readdirSync(state)]).toEqual([0, ['new.castellan']]);
  });

  test('behavior: it trusts the certificate authorities that the services trust', () => {
    expect(valuesOf(unit, 'Service.EnvironmentFile')).toEqual(['/etc/castellan/castellan.env']);
    expect(valuesOf(unitOf('vaults'), 'Service.EnvironmentFile')).toContain('/etc/castellan/castellan.env');
    expect(install).toContain('`NODE_EXTRA_CA_CERTS=/etc/castellan/ca.pem` in `castellan.env`');
  });

  test('behavior: one that fails has Alertmanager page for a day', () => {
    const [name = ''] = valuesOf(unit, 'Unit.OnFailure');
    const [command = ''] = valuesOf(readUnit(folder, name), 'Service.ExecStart');
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(command) ?? [];
    const said = spawnSync(
      '/bin/sh',
      ['-c', script.replaceAll('%%', '%').replace('exec /usr/bin/amtool', 'printf "%s\\n"')],
      {
        encoding: 'utf8',
      },
    ).stdout.split('\n');
    expect(said.slice(0, 5)).toEqual([
      '--alertmanager.url=http://127.0.0.1:9093',
      'alert',
      'add',
      'BackupFailed',
      'severity=critical',
    ]);
    // Alertmanager takes the end for the beginning where that is left out.
    const [from, to] = said.slice(5, 7).map((word) => Date.parse(`${word.split('=')[1]}`) / 1000);
    expect(Math.abs(Number(from) - Date.now() / 1000)).toBeLessThan(60);
    expect(Math.abs(Number(to) - Number(from) - 86_400)).toBeLessThan(2);
    expect(said[7]).toMatch(/^--annotation=summary=The backup/);
  });

  test('behavior: with the drop-in of the page, each that was made is copied elsewhere, and what cannot be copied failed', () => {
    const [, copy = ''] = valuesOf(unit, 'Service.ExecStartPost');
    const [program, ...args] = wordsOf(copy);
    expect([program, ...args.slice(0, 2)]).toEqual(['/usr/bin/rclone', 'copy', '--config']);
    expect(args[2]).toBe('${' + 'CREDENTIALS_DIRECTORY}/rclone');
    expect(credentialsOf(unit).get('rclone')).toBe('/etc/castellan/secrets/rclone.conf');
    expect(install).toContain('rclone config --config /etc/castellan/secrets/rclone.conf\n');
    expect(args.slice(3, -1)).toEqual(['--include', '*.castellan', '${' + 'STATE_DIRECTORY}/']);
  });
});

describe('the backup of compose', () => {
  /** Runs the line of cron with programs that note what they were asked, of which some fail. */
  function run(failing: string) {
    const line = written.get('/etc/cron.d/castellan-backup')?.split('\n').at(-1) ?? '';
    const [, schedule, user, command = ''] = /^((?:\S+ ){5})(\S+) (.*)$/.exec(line) ?? [];
    expect([schedule, user]).toEqual(['30 2 * * * ', 'root']);
    // Cron takes a bare % for the end of the line.
    expect(command.replaceAll('\\%', '')).not.toContain('%');
    const bin = mkdtempSync(join(scratch, 'bin-'));
    for (const program of ['docker', 'rclone', 'find'])
      writeFileSync(
        join(bin, program),
        `#!/bin/sh\necho ${program} "$@" >> ${bin}/run\ncase "${program} $*" in *"${failing}"*) exit 1;; esac\n`,
        { mode: 0o755 },
      );
    const text = command.replaceAll('\\%', '%').replace('/srv/castellan', bin);
    const { status } = spawnSync('/bin/sh', ['-c', text], { env: { PATH: `${bin}:/usr/bin:/bin` } });
    return [status, readFileSync(join(bin, 'run'), 'utf8').trimEnd().split('\n')];
  }
  const isBackup = expect.stringMatching(
    /bin\/castellan backup --to \/backups\/[\dT-]+Z\.castellan --uri-file \/secrets\//,
  );
  const isCopy = expect.stringMatching(/^rclone copy --include \*\.castellan \/backups /);
  const isPage = expect.stringMatching(/amtool .* alert add BackupFailed severity=critical --start=\S+Z --end=\S+Z /);

  test.each([
    [
      'default: backs up, copies and then deletes what is old',
      'nothing',
      [isBackup, isCopy, expect.stringMatching(/^find /)],
    ],
    ['error: one that fails pages, and nothing is deleted', 'castellan backup', [isBackup, isPage]],
    ['error: one that is not copied pages, and nothing is deleted', 'rclone', [isBackup, isCopy, isPage]],
  ])('%s', (_, failing, expected) => {
    expect(run(failing)).toEqual([0, expected]);
  });
});

test('security: no service is more open than the rest, and each is what systemd-analyze takes', () => {
  const hardening = ['ProtectSystem', 'NoNewPrivileges', 'CapabilityBoundingSet', 'SystemCallFilter', 'ProtectHome'];
  for (const file of globSync('*.service', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const setting of hardening)
      expect([file, setting, text.includes(`\n${setting}=`)]).toEqual([file, setting, true]);
  }
  if (!existsSync('/usr/bin/systemd-analyze')) return;
  const names = [
    'castellan@vaults.service',
    'castellan@keeper.service',
    'castellan-nats.service',
    'castellan-nats-exporter.service',
    'castellan-mongodb-exporter.service',
    'castellan-backup.timer',
    'castellan-backup-failed.service',
  ];
  const result = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', ...names], {
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    encoding: 'utf8',
  });
  // The programs are where the installation is, which is not here.
  const said = result.stderr
    .split('\n')
    .filter((line) => line.includes('castellan') && !/is not executable/.test(line));
  expect(said).toEqual([]);
});
