import { type BusServiceName, busServices, type StreamDefinition } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { bundledPath, bundledServices, preload, programs } from '../bundle/programs.ts';
import type { Options } from './options.ts';
import type { ProcessSpec } from './supervisor.ts';
import {
  devnetSpec,
  localChains,
  needsDeployment,
  portsOf,
  type Settings,
  serviceSpecs,
  validatorSpecs,
  waitsForDeployment,
} from './system.ts';

const root = '/repository';
const options: Options = {
  fresh: false,
  devnet: true,
  chains: 1,
  gatewayPort: 8080,
  portOffset: 0,
  stateDir: '/state',
  priceIntervalSeconds: 60,
  validatorsApart: false,
  dev: false,
};
const settings: Settings = {
  root,
  options,
  ports: portsOf(options),
  natsUrl: 'nats://127.0.0.1:4222',
  store: { uriOf: () => 'mongodb://127.0.0.1', usersFile: undefined },
  publicUrl: 'http://127.0.0.1:8080',
  bus: undefined,
  authKeySecret: '/state/secret',
  notificationsKey: '/state/key',
};

const startedFrom = (bundles: string | undefined): string[] =>
  [...serviceSpecs(settings, bundles), ...validatorSpecs(settings, bundles)].map(({ args }) =>
    args.slice(0, 3).join(' '),
  );

const everyProgram = bundledServices.flatMap((service) =>
  programs[service].map((file) => `services/${service}/${file}`),
);

test('default: services and validators run from bundles, each of which is made', () => {
  const bundled = everyProgram.map((file) => `--import /bundles/${bundledPath(preload)} /bundles/${bundledPath(file)}`);
  const started = startedFrom('/bundles');
  expect(started).toHaveLength(8);
  expect(bundled).toEqual(expect.arrayContaining(started));
});

test('behavior: with two chains each has a process, and every service gets both', () => {
  const two = { ...settings, options: { ...options, chains: 2 } };
  const chains = localChains(two.options);
  const env = chains.map((chain) => devnetSpec(two, chain, () => undefined).env);
  expect(env).toMatchObject([
    { DEVNET_CHAIN_ID: '31337', DEVNET_PORT: '8545', DEVNET_STATE_DIR: '/state/devnet' },
    { DEVNET_CHAIN_ID: '31338', DEVNET_PORT: '8546', DEVNET_STATE_DIR: '/state/devnet-2' },
  ]);
  for (const { name, env } of serviceSpecs(two, undefined)) {
    const file = name === 'auth' ? 'deployment.json' : 'ready';
    expect(env).toMatchObject({
      DEVNET_DEPLOYMENT_FILE: `/state/devnet/${file},/state/devnet-2/${file}`,
      DEVNET_RPC_URL: 'http://127.0.0.1:8545,http://127.0.0.1:8546',
    });
  }
  expect(localChains({ ...options, devnet: false })).toEqual([]);
});

test('default: all validators are one process, each with its own file; apart each is one', () => {
  const filesOf = (spec: ProcessSpec) => spec.args.filter((_arg, at) => spec.args[at - 1] === '--config');
  const all = portsOf(options).validators.map(({ index }) => `/state/validators/oracle-${index}/config.toml`);
  const named = (specs: ProcessSpec[]) => specs.map((spec) => [spec.name, filesOf(spec)]);
  expect(named(validatorSpecs(settings, undefined))).toEqual([['validators', all]]);
  const apart = { ...settings, options: { ...options, validatorsApart: true } };
  expect(named(validatorSpecs(apart, undefined))).toEqual(all.map((file, index) => [`validator-${index}`, [file]]));
});

test('behavior: at a first start those follow the history that need the deployment, or a stream of the service that does', () => {
  const own: readonly StreamDefinition[] = busServices.auth.defines;
  const awaits = (name: string) => {
    const { follows, consumes } = busServices[name as BusServiceName];
    return [...follows, ...Object.values<StreamDefinition>(consumes)].some((stream) => own.includes(stream));
  };
  for (const spec of serviceSpecs(settings, undefined))
    expect([spec.name, waitsForDeployment(spec)]).toEqual([spec.name, needsDeployment(spec) || awaits(spec.name)]);
});

test('behavior: without bundles they run from their sources', () => {
  const sources = everyProgram.map((file) => `--import ${root}/${preload} ${root}/${file}`);
  expect(sources).toEqual(expect.arrayContaining(startedFrom(undefined)));
});
