import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse as parseToml } from 'smol-toml';
import { parse, parseAllDocuments } from 'yaml';
import { bundledServices } from './bundle/programs.ts';
import type { Options } from './start/options.ts';
import { portsOf } from './start/system.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

type Service = {
  image?: string;
  build?: { context: string; target: string; args: Record<string, string> };
  profiles?: string[];
  logging?: unknown;
  mem_limit?: string;
  network_mode?: string;
  volumes?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  secrets?: (string | { source: string; target: string })[];
  entrypoint?: string[];
  command?: string[];
  user?: string;
  cap_drop?: string[];
  cap_add?: string[];
  depends_on?: Record<string, { condition: string }>;
};
type Network = { internal?: boolean; ipam: { config: [{ subnet: string; gateway: string; ip_range: string }] } };
const compose = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: { inside: Network; 'bus-monitor': Network };
};
const services = Object.entries(compose.services);

describe('docker-compose.yml', () => {
  test('behavior: every image is pinned or a target of the Dockerfile', () => {
    for (const [name, { image, build }] of services) {
      expect([name, Boolean(image) !== Boolean(build)]).toEqual([name, true]);
      if (image) expect(image).toMatch(/:[^:]*\d/);
      if (build) expect([name, bundledServices]).toEqual([name, expect.arrayContaining([build.target])]);
    }
  });

  test('behavior: no container fills the disk with logs or takes all memory', () => {
    for (const [name, { logging, mem_limit }] of services)
      expect([name, logging, mem_limit]).toEqual([
        name,
        { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } },
        expect.stringMatching(/^\d+[mg]$/),
      ]);
  });

  test('behavior: what is mounted exists', () => {
    for (const mount of services.flatMap(([, { volumes = [] }]) => volumes)) {
      const source = String(mount.split(':')[0]);
      // What the operator makes, of the templates in deploy/validators.
      if (source === './deploy/secrets/validators') continue;
      if (source.startsWith('.')) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  test('behavior: services wait for what exists', () => {
    const names = services.map(([name]) => name);
    for (const [, { depends_on = {} }] of services)
      for (const other of Object.keys(depends_on)) expect(names).toContain(other);
  });

  test('behavior: nothing but the loopback and the TLS proxy is published, and no monitoring port at all', () => {
    expect(compose.services.proxy?.ports).toEqual(['80:80', '443:443', '443:443/udp']);
    const ports = services.flatMap(([name, { ports = [] }]) => (name === 'proxy' ? [] : ports));
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(ports.join(' ')).not.toMatch(/:91\d\d/);
  });

  test('behavior: the gateway believes the proxy here and one on this host, and nobody else, about where a visitor is', () => {
    const [{ subnet, gateway, ip_range }] = compose.networks.inside.ipam.config;
    const trusted = services.flatMap(([name, { environment }]) =>
      environment?.TRUST_PROXY ? [[name, environment.TRUST_PROXY]] : [],
    );
    const { networks } = compose.services.proxy as { networks: { inside: { ipv4_address: string } } };
    const { ipv4_address: proxy } = networks.inside;
    expect(trusted).toEqual([['gateway', `\${TRUST_PROXY:-${gateway},${proxy}}`]]);
    expect([gateway, proxy]).toEqual([subnet.replace(/0\/24$/, '1'), subnet.replace(/0\/24$/, '2')]);
    // Addresses that Docker gives out begin in the second half.
    expect(ip_range).toBe(subnet.replace(/0\/24$/, '128/25'));
    for (const file of [...globSync('deploy/**/*', { cwd: root }), '.env.example', 'docker-compose.yml'])
      if (statSync(join(root, file)).isFile())
        expect([file, read(file)]).not.toEqual([file, expect.stringMatching(/TRUST_PROXY\s*[=:]\s*"?true/)]);
  });

  test('behavior: no secret has a default', () => {
    for (const [, { environment = {} }] of services) {
      for (const [name, value] of Object.entries(environment)) {
        if (/_FILE$/.test(name))
          expect([name, value]).toEqual([name, expect.stringMatching(/^\/(run\/secrets|keys|tmp)\//)]);
        else if (/SECRET|PASSWORD|PRIVATE/.test(name))
          // Required, or empty when it is not given: a former secret is needed for one start only.
          expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{\w+:(\?|-\}$)/)]);
      }
    }
  });

  test('behavior: who is handed a secret can read it: our images as its owner, those of others as root', () => {
    const given = services.filter(([, { secrets = [] }]) => secrets.length > 0);
    const others = given.filter(([, { image }]) => image);
    expect(others.map(([name]) => name).sort()).toEqual(['alertmanager', 'mongo', 'mongo-init']);
    for (const [name, { user, entrypoint = [], secrets = [], cap_drop = [], cap_add = [] }] of others) {
      const mayReadAll = !cap_drop.includes('ALL') || cap_add.includes('DAC_OVERRIDE');
      // Entrypoints of images may give root up: then root has copied what is read afterwards.
      const copied = /^install .*-o mongodb .* && exec docker-entrypoint/.test(`${entrypoint[2]}`);
      const isCopied = copied && secrets.every((secret) => `${entrypoint[2]}`.includes(`/run/secrets/${secret} `));
      const isRoot = user === '0' || entrypoint[0] === 'mongosh' || isCopied;
      expect([name, mayReadAll, isRoot]).toEqual([name, true, true]);
    }
  });

  test('behavior: what the store reads is what root copies for it', () => {
    const { environment = {}, command = [], entrypoint = [] } = compose.services.mongo ?? {};
    const read = [command[command.indexOf('--keyFile') + 1], environment.MONGO_INITDB_ROOT_PASSWORD_FILE];
    const copies = [...`${entrypoint[2]}`.matchAll(/\/run\/secrets\/(\S+) /g)].map(([, secret]) => `/tmp/${secret}`);
    expect(read).toEqual(copies);
  });

  test('behavior: no bus, store or chain is named with its credentials, and each service has its own secrets only', () => {
    const shared = ['mongo', 'mongo-init', 'nats'];
    for (const [name, { environment = {}, secrets: given = [] }] of services) {
      const secrets = given.map((secret) => (typeof secret === 'string' ? secret : secret.target));
      for (const secret of given)
        if (typeof secret !== 'string') expect(secret).toEqual({ source: `${name}-key`, target: 'service-key' });
      expect(Object.keys(environment)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(NATS_URL|MONGODB_URI)$/)]),
      );
      if (shared.includes(name)) continue;
      for (const secret of secrets.filter((other) => /^(nats|mongodb)-/.test(other)))
        expect([name, secret]).toEqual([name, expect.stringMatching(new RegExp(`^(nats-url|mongodb-uri)-${name}$`))]);
      for (const [variable, value] of Object.entries(environment))
        if (value.startsWith('/run/secrets/'))
          expect([variable, secrets]).toEqual([variable, expect.arrayContaining([value.slice(13)])]);
    }
    const withSecret = (secret: string) =>
      services.flatMap(([name, { secrets = [] }]) => (secrets.includes(secret) ? [name] : []));
    expect(withSecret('auth-key-secret')).toEqual(['auth']);
    expect(withSecret('notifications-key')).toEqual(['users']);
    expect(withSecret('chains.json').sort()).toEqual(['auth', 'keeper', 'vaults']);
    for (const [secret, owner] of [
      ['ai-api-key', 'ai'],
      ['smtp-url', 'users'],
      ['auth-key-secret-previous', 'auth'],
      ['keystore.json', 'keeper'],
      ['unlock', 'keeper'],
    ])
      expect([secret, withSecret(`${secret}`)]).toEqual([secret, [owner]]);
  });

  test('behavior: the store asks who is there, and the bus has the accounts of services and validators', () => {
    const { nats, mongo } = compose.services;
    expect(mongo).toMatchObject({ command: expect.arrayContaining(['--keyFile']) });
    const files = ['nats.conf', 'tls.conf', 'castellan.conf', 'validators.conf'];
    for (const file of files) expect(nats?.volumes).toContain(`./deploy/nats/${file}:/etc/nats/${file}:ro`);
    const conf = read('deploy/nats/nats.conf');
    for (const file of files.slice(1)) expect(conf).toContain(`include ./${file}`);
  });

  test('behavior: Prometheus scrapes each service on its monitoring port', () => {
    const { scrape_configs } = parse(read('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: { static_configs?: { targets: string[] }[]; file_sd_configs?: { files: string[] }[] }[];
    };
    // Of keeper and validators, /targets has what their profiles copied there from targets.
    const listed = scrape_configs
      .flatMap(({ file_sd_configs = [] }) => file_sd_configs.flatMap(({ files }) => files))
      .flatMap((file) => parse(read(join('deploy/prometheus', file))) as { targets: string[] }[]);
    const groups = [...scrape_configs.flatMap(({ static_configs = [] }) => static_configs), ...listed];
    const targets = groups.flatMap(({ targets: list }) => list);
    const { monitoring } = parseToml(read('deploy/validators/config.toml')) as { monitoring: { metrics_port: number } };
    const expected = services.flatMap(([name, { environment }]) => {
      if (name.startsWith('validator-')) return [`${name}:${monitoring.metrics_port}`];
      return environment?.MONITORING_PORT ? [`${name}:${environment.MONITORING_PORT}`] : [];
    });
    const exporters = ['nats-exporter:7777', 'mongodb-exporter:9216'];
    expect(targets.sort()).toEqual([...expected, ...exporters].sort());
  });

  test('behavior: the exporter of the bus asks it by an address that the bus keeps, in a network of the two alone', () => {
    const { nats, 'nats-exporter': exporter } = compose.services;
    const address = /^http: (\S+):8222$/m.exec(read('deploy/nats/nats.conf'))?.[1];
    expect(nats).toMatchObject({
      networks: { 'bus-monitor': { ipv4_address: address } },
      healthcheck: { test: expect.arrayContaining([`http://${address}:8222/healthz`]) },
    });
    expect(exporter).toMatchObject({
      networks: ['inside', 'bus-monitor'],
      command: ['-port=7777', '-varz', '-healthz', '-jsz=all', `http://${address}:8222`],
    });
    const inIt = services.filter(([, service]) => JSON.stringify(service).includes('bus-monitor'));
    expect(inIt.map(([name]) => name).sort()).toEqual(['nats', 'nats-exporter']);
    // Who is in the network namespace of another container is cut off when that one starts anew.
    expect(services.filter(([, { network_mode = 'none' }]) => network_mode !== 'none')).toEqual([]);
    const { internal, ipam } = compose.networks['bus-monitor'];
    expect([internal, address]).toEqual([true, ipam.config[0].subnet.replace('0/28', '2')]);
    // Addresses that Docker gives out begin in the second half.
    expect(ipam.config[0].ip_range).toBe(ipam.config[0].subnet.replace('0/28', '8/29'));
  });

  test('behavior: the bus collects its garbage before its memory is at the limit', () => {
    const { mem_limit, environment } = compose.services.nats ?? {};
    expect([mem_limit, environment?.GOMEMLIMIT]).toEqual(['1g', '900MiB']);
  });

  test('behavior: the Prometheus of this machine watches the ports that npm start opens', () => {
    const { monitoring } = portsOf({ portOffset: 0, gatewayPort: 8080 } as Options);
    const text =
      read('deploy/prometheus/prometheus.local.yml') + read('deploy/prometheus/targets/validators.local.yml');
    for (const [service, port] of Object.entries(monitoring))
      expect(text).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}"\\]\\s+labels: \\{ service: ${service} `));
    for (const port of [9190, 9191, 9192, 9193]) expect(text).toContain(`"127.0.0.1:${port}"`);
  });
});

test('behavior: every YAML of deploy parses', () => {
  for (const file of globSync('deploy/**/*.{yml,yaml}', { cwd: root }))
    for (const { errors } of parseAllDocuments(read(file))) expect([file, errors]).toEqual([file, []]);
});

const missing = (tool: string) => spawnSync(tool, ['--version']).error !== undefined;
/** Debian's packages, which .ci/run installs; without them the files are parsed and no more. */
const packages = { promtool: 'prometheus', amtool: 'prometheus-alertmanager' };
const absent = Object.keys(packages).filter(missing);
if (absent.length > 0) process.stderr.write(`Not on the path, so not asked: ${absent.join(', ')}.\n`);

function accepts(tool: keyof typeof packages, ...args: string[]) {
  if (absent.includes(tool)) {
    if (process.env.CI === 'true') throw new Error(`${tool} is missing; install the ${packages[tool]} package.`);
    return;
  }
  const { status, stdout, stderr } = spawnSync(tool, args, {
    cwd: join(root, 'deploy'),
    encoding: 'utf8',
    // They end before their garbage matters; collecting it is a third of their time.
    env: { ...process.env, GOGC: 'off', GOMEMLIMIT: '400MiB' },
  });
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: expect.not.stringContaining('FAILED') });
}

test.each(globSync('deploy/prometheus/prometheus*.yml', { cwd: root }))(
  'behavior: promtool accepts %s and its rules',
  (file) => accepts('promtool', 'check', 'config', relative('deploy', file)),
);

test.each(globSync('deploy/prometheus/tests/*.yml', { cwd: root }))(
  'behavior: alerts fire when they should, and only then: %s',
  (file) => accepts('promtool', 'test', 'rules', relative('deploy', file)),
);

// webhook.yml reads its URL from a file, which the amtool of Debian 12 (0.25) does not know yet: see alert-receivers.test.ts.
test.each(['alertmanager', 'slack', 'pagerduty'])('behavior: amtool accepts %s.yml', (name) =>
  accepts('amtool', 'check-config', `alertmanager/${name}.yml`),
);

test('behavior: with the address in it, amtool of Debian 12 accepts webhook.yml, as the page has it', () => {
  const page = read('docs/operations/install.md');
  const [, pattern = '', words = ''] = /`sed 's#(url_file: \.\*)#(url: [^#]+)#'`/.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'castellan-webhook-'));
  try {
    const file = join(folder, 'webhook.yml');
    writeFileSync(file, read('deploy/alertmanager/webhook.yml').replaceAll(new RegExp(pattern, 'g'), words));
    accepts('amtool', 'check-config', file);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
