import { readFileSync } from 'node:fs';
import { type BusServiceName, busServices } from '@castellan/contracts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IContainer, IPodSpec, IService } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { manifestsOf } from '../src/app.ts';
import type { Manifest } from '../src/manifest.ts';
import { ruleFilesOf } from '../src/monitoring.ts';
import { configurationOf } from '../src/read.ts';
import { repository } from '../src/repository.ts';
import type { Rule } from '../src/rule.ts';
import { secretsOf } from '../src/secrets.ts';
import { unknownFields } from './fields.ts';
import { refusalsOf } from './schemas.ts';
import { keptSnapshot, readExample, snapshotOf } from './snapshot.ts';

type Made = Awaited<ReturnType<typeof manifestsOf>>;

/** The least that must be said, with everything else elsewhere or left out. */
const small = `
images: { registry: registry.example.org, tag: "1" }
publicUrl: https://castellan.example.org
trustedProxies: [10.0.0.1]
bus: { kind: external, addresses: [{ cidr: 10.1.0.0/16, port: 4222 }] }
store: { addresses: [{ cidr: 10.2.0.0/16, port: 27017 }], exporter: false }
network: { policies: false }
monitoring: { operator: false, dashboards: false }
`;

let example: Made;
let least: Made;
let all: Manifest[];
beforeAll(async () => {
  [example, least] = await Promise.all([manifestsOf(readExample()), manifestsOf(configurationOf(small, '.'))]);
  all = [...example.manifests.values()].flat();
});

const ofKind = <T>(kind: string): T[] => all.filter((manifest) => manifest.kind === kind) as T[];
const workloads = () => [...ofKind<IDeployment>('Deployment'), ...ofKind<IStatefulSet>('StatefulSet')];
const podOf = ({ spec }: IDeployment | IStatefulSet): IPodSpec => spec?.template.spec as IPodSpec;
const containersOf = (workload: IDeployment | IStatefulSet): IContainer[] => {
  const { initContainers = [], containers } = podOf(workload);
  return [...initContainers, ...containers];
};
const includes = (labels: Record<string, string> = {}, selector: Record<string, string> = {}) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);
/** The workloads that a selector finds. */
const found = (selector: Record<string, string> | undefined) =>
  workloads().filter(({ spec }) => includes(spec?.template.metadata?.labels, selector));

describe('every manifest', () => {
  test('default: of the example is the one that is kept; else run node deploy/kubernetes/test/snapshot.ts', () =>
    expect(snapshotOf(example.manifests)).toEqual(keptSnapshot()));

  test('behavior: keeps to the Kubernetes schema of its kind, and has no field that its kind does not', () => {
    for (const { manifests } of [example, least])
      for (const manifest of [...manifests.values()].flat()) {
        const named = `${manifest.kind} ${manifest.metadata?.name}`;
        expect([named, ...refusalsOf(manifest), ...unknownFields(manifest)]).toEqual([named]);
      }
  });

  test('error: a wrong type, a misspelt field and an unknown kind are found', () => {
    const [deployment] = ofKind<IDeployment>('Deployment') as [IDeployment];
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: 'two' } } as unknown as Manifest;
    expect(refusalsOf(wrong)).toEqual([expect.stringContaining('replicas')]);
    const misspelt = structuredClone(deployment);
    Object.assign(podOf(misspelt).containers[0] as IContainer, { readynessProbe: {} });
    expect(unknownFields(misspelt)).toEqual(['Deployment.spec.template.spec.containers[0].readynessProbe']);
    expect(refusalsOf({ apiVersion: 'v9', kind: 'Pod' })).toEqual(['Pod of v9 has no schema here']);
  });

  test('behavior: has a name of its own, in the namespace of the configuration', () => {
    const names = all.map(({ kind, metadata }) => `${kind}/${metadata?.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { kind, metadata } of all)
      if (kind !== 'Namespace') expect(metadata).toMatchObject({ namespace: 'castellan' });
  });
});

describe('pods', () => {
  test('behavior: run as a user, read-only, without rights, tokens or a share of the memory of others', () => {
    expect(workloads().length).toBe(10);
    for (const workload of workloads()) {
      const pod = podOf(workload);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const { name, image, resources, securityContext } of containersOf(workload)) {
        expect([name, image]).toEqual([name, expect.stringMatching(/:[\w.-]*\d[\w.-]*$/)]);
        expect([name, resources]).toEqual([
          name,
          { requests: expect.anything(), limits: { memory: expect.anything() } },
        ]);
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  test('behavior: of ours use three quarters of their memory as heap', () => {
    const heaps = workloads().map((workload) => {
      const [{ env = [], resources }] = podOf(workload).containers as [IContainer];
      const option = env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
      return [workload.metadata?.name, resources?.limits?.memory, option];
    });
    expect(heaps).toContainEqual(['analytics', '4Gi', '--max-old-space-size=3072']);
    expect(heaps).toContainEqual(['auth', '512Mi', '--max-old-space-size=384']);
  });

  test('behavior: of the bus collect their garbage before their memory is at its limit', () => {
    const [bus] = ofKind<IStatefulSet>('StatefulSet').filter(({ metadata }) => metadata?.name === 'nats');
    const [{ env = [], resources }] = podOf(bus as IStatefulSet).containers as [IContainer];
    const limit = env.find(({ name }) => name === 'GOMEMLIMIT')?.value;
    expect([resources?.limits?.memory, limit]).toEqual(['1Gi', '921MiB']);
  });

  test('behavior: mount what they declare, and probe ports that they open', () => {
    for (const workload of workloads()) {
      const { spec } = workload;
      const claims = (spec as IStatefulSet['spec'])?.volumeClaimTemplates?.map(({ metadata }) => metadata?.name) ?? [];
      const volumes = [...(podOf(workload).volumes ?? []).map(({ name }) => name), ...claims];
      const containers = containersOf(workload);
      const mounted = containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
      expect([...new Set(mounted)].sort()).toEqual([...volumes].sort());
      for (const { name, ports = [], startupProbe, livenessProbe, readinessProbe } of containers)
        for (const probe of [startupProbe, livenessProbe, readinessProbe])
          if (probe)
            expect([name, ports.map((port) => port.name)]).toEqual([
              name,
              expect.arrayContaining([probe.httpGet?.port]),
            ]);
    }
  });

  test('behavior: refer to secrets and configuration that the output names, and to none besides', () => {
    const referred = new Set<string>();
    const configured = new Set<string>();
    JSON.parse(
      JSON.stringify([...workloads(), ...ofKind('CronJob')]),
      (key, value: string & { name?: string; secretName?: string }) => {
        const name = value?.secretName ?? value?.name;
        if (/^secret(Ref|KeyRef)?$/.test(key) && name) referred.add(name);
        if (key === 'configMap' && name) configured.add(name);
        return value;
      },
    );
    const configMaps = ofKind<Manifest>('ConfigMap').map(({ metadata }) => metadata?.name);
    expect(configMaps).toEqual(expect.arrayContaining([...configured]));
    const secrets = secretsOf(readExample(), example.workloads);
    expect([...referred].sort()).toEqual([...secrets.keys()].sort());
  });

  test('behavior: end in their own time: a wait, the orderly shutdown, and only then by force', () => {
    for (const workload of ofKind<IDeployment>('Deployment')) {
      const name = workload.metadata?.name as BusServiceName;
      if (!example.workloads.has(name)) continue;
      const pod = podOf(workload);
      const [{ env = [], lifecycle }] = pod.containers as [IContainer];
      const grace = Number(env.find((variable) => variable.name === 'SHUTDOWN_GRACE_SECONDS')?.value);
      const wait = lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(wait + grace);
      expect(workload.spec?.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    }
  });
});

describe('what finds pods', () => {
  test('behavior: Services, budgets and autoscalers find a workload, and Services a port of it', () => {
    for (const { metadata, spec } of ofKind<IService>('Service')) {
      const ports = found(spec?.selector).flatMap((workload) =>
        containersOf(workload).flatMap(({ ports: open = [] }) => open.map(({ name }) => name)),
      );
      for (const { targetPort } of spec?.ports ?? [])
        expect([metadata?.name, ports]).toEqual([metadata?.name, expect.arrayContaining([targetPort])]);
    }
    for (const budget of ofKind<{ spec: { selector: { matchLabels: Record<string, string> } } }>('PodDisruptionBudget'))
      expect(found(budget.spec.selector.matchLabels).length).toBeGreaterThan(0);
    const names = workloads().map(({ metadata }) => metadata?.name);
    for (const { spec } of ofKind<{ spec: { scaleTargetRef: { name: string } } }>('HorizontalPodAutoscaler'))
      expect(names).toContain(spec.scaleTargetRef.name);
  });

  test('behavior: a workload that an autoscaler decides about has no number of its own', () => {
    const scaled = ofKind<Manifest>('HorizontalPodAutoscaler').map(({ metadata }) => metadata?.name);
    expect(scaled).toContain('gateway');
    for (const { metadata, spec } of workloads())
      expect([metadata?.name, spec?.replicas === undefined]).toEqual([metadata?.name, scaled.includes(metadata?.name)]);
  });

  test('behavior: each monitor finds a Service with the port that it scrapes', () => {
    const services = ofKind<IService>('Service');
    type Monitor = { spec: { endpoints: { port: string }[]; selector: { matchExpressions: { values: string[] }[] } } };
    const monitors = ofKind<Monitor>('ServiceMonitor');
    const scraped = monitors.flatMap(({ spec }) => {
      const jobs = spec.selector.matchExpressions[0]?.values ?? [];
      const those = services.filter(({ metadata }) => jobs.includes(`${metadata?.labels?.['castellan-job']}`));
      for (const { spec: service } of those)
        expect(service?.ports?.map(({ name }) => name)).toContain(spec.endpoints[0]?.port);
      return those.map(({ metadata }) => metadata?.name);
    });
    expect(scraped.sort()).toEqual(
      services
        .map(({ metadata }) => metadata?.name)
        .filter((name) => name !== 'nats')
        .sort(),
    );
  });
});

describe('network policies', () => {
  const policies = () =>
    new Map(ofKind<INetworkPolicy>('NetworkPolicy').map((policy) => [policy.metadata?.name, policy]));
  const namesIn = (peers: unknown): string[] =>
    [
      ...JSON.stringify(peers ?? []).matchAll(/"podSelector":\{"matchLabels":\{"app.kubernetes.io\/name":"([^"]+)"/g),
    ].map(([, name]) => `${name}`);

  test('behavior: nothing is open that no policy opens, and each workload has a policy', () => {
    expect(policies().get('default')?.spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(policies().get('default')?.spec?.ingress).toBeUndefined();
    for (const { metadata, spec } of workloads()) {
      const own = [...policies().values()].filter(({ spec: policy }) => {
        const selector = policy?.podSelector?.matchLabels;
        return selector && includes(spec?.template.metadata?.labels, selector);
      });
      expect([metadata?.name, own.length]).toEqual([metadata?.name, 1]);
    }
  });

  test('behavior: the bus is reached by the services of the contracts and by validators, and both sides agree', () => {
    const users = namesIn(policies().get('nats')?.spec?.ingress?.[0]);
    expect(users.sort()).toEqual([...Object.keys(busServices), 'validator'].sort());
    for (const user of users) expect(namesIn(policies().get(user)?.spec?.egress)).toContain('nats');
  });

  test('behavior: no service reaches another but over the bus, except the gateway the chat', () => {
    const direct = [...policies()].flatMap(([name, { spec } = {} as INetworkPolicy]) =>
      namesIn(spec?.egress)
        .filter((other) => other !== 'nats')
        .map((other) => `${name} to ${other}`),
    );
    expect(direct).toEqual(['gateway to ai']);
    expect(namesIn(policies().get('ai')?.spec?.ingress)).toEqual(['gateway']);
  });

  test('behavior: a store in the cluster is reached by the labels of its pods, in its namespace alone', async () => {
    const configuration = readExample();
    const pods = { namespace: 'mongodb', labels: { app: 'castellan-mongo' }, port: 27017 };
    const { manifests } = await manifestsOf({ ...configuration, store: { ...configuration.store, addresses: [pods] } });
    const rule = {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mongodb' } },
          podSelector: { matchLabels: { app: 'castellan-mongo' } },
        },
      ],
      ports: [{ protocol: 'TCP', port: 27017 }],
    };
    const made = (manifests.get('network') ?? []) as INetworkPolicy[];
    for (const policy of made) expect([...refusalsOf(policy), ...unknownFields(policy)]).toEqual([]);
    const reaching = made.filter(({ spec }) => JSON.stringify(spec?.egress).includes('castellan-mongo'));
    for (const { spec } of reaching) expect(spec?.egress).toContainEqual(rule);
    const users = [...example.workloads.keys(), 'validator', 'mongodb-exporter', 'backup'];
    expect(reaching.map(({ metadata }) => metadata?.name).sort()).toEqual(users.sort());
  });

  test.each([
    ['pods without a label, which would be all of a namespace', 'namespace: mongodb, labels: {}', /must have a label/],
    ['what is neither', 'cidr: 10.2.0.0', /must be a network, \{ cidr, port \}, or pods/],
  ])('error: an address with %s is refused', (_, address, message) => {
    expect(() => configurationOf(small.replace('cidr: 10.2.0.0/16', address), '.')).toThrow(message);
  });

  test('behavior: only those who read chains, ask models or send to channels reach the internet', () => {
    const outside = [...policies()].filter(([, policy]) => JSON.stringify(policy.spec).includes('0.0.0.0/0'));
    expect(outside.map(([name]) => name).sort()).toEqual([
      'ai',
      'auth',
      'gateway',
      'keeper',
      'users',
      'validator',
      'vaults',
    ]);
  });
});

describe('rules', () => {
  test('behavior: the memory that an alert compares with is the limit of the service', () => {
    const rules = ofKind<{ metadata: { name: string }; spec: { groups: { name: string; rules: unknown[] }[] } }>(
      'PrometheusRule',
    );
    const processes = rules.find(({ metadata }) => metadata.name === 'castellan-process-expectations');
    const expected = processes?.spec.groups.find(({ name }) => name === 'process-expectations')?.rules;
    expect(expected).toHaveLength(example.workloads.size);
    expect(expected).toContainEqual({
      record: 'castellan_expected:memory_bytes',
      expr: `vector(${4 * 2 ** 30})`,
      labels: { service: 'analytics' },
    });
    expect(expected).toContainEqual({
      record: 'castellan_expected:memory_bytes',
      expr: `vector(${2 ** 29})`,
      labels: { service: 'auth' },
    });
  });

  test('behavior: what alerts expect of validators is what the configuration says, else what the file says', async () => {
    const expected = async (monitoring: object) => {
      const configuration = readExample();
      const changed = { ...configuration, monitoring: { ...configuration.monitoring, ...monitoring } };
      const manifests = (await manifestsOf(changed)).manifests.get('monitoring') ?? [];
      const [made] = manifests.filter(({ metadata }) => metadata?.name === 'castellan-validator-expectations');
      const { groups } = (made as unknown as { spec: { groups: { rules: Rule[] }[] } }).spec;
      return groups.flatMap(({ rules }) => rules);
    };
    const usual = await expected({});
    const fields = ['configVersion', 'signers', 'heartbeatSeconds', 'priceExpirationSeconds', 'transmissionCostWei'];
    const values = Object.fromEntries(
      [...fields, 'freshnessObjective', 'transmitObjective'].map((name, n) => [name, 0.5 + n]),
    );
    const own = await expected({ validators: { ...values, transmissionCostWeiOf: { 8453: 1e14 } } });
    // Each rule of the file has a setting, so that nobody edits the manifests.
    expect(own.slice(0, -1).map(({ record, expr }) => [record, expr])).toEqual(
      usual.map(({ record }, n) => [record, `vector(${0.5 + n})`]),
    );
    expect(own.at(-1)).toEqual({
      record: 'castellan_expected:transmission_cost_wei',
      expr: 'vector(100000000000000)',
      labels: { chain_id: '8453' },
    });
  });

  test('behavior: what explains an alert mutes it as deploy/alertmanager says, by a label that every alert has', () => {
    const { inhibit_rules: written } = parse(
      readFileSync(repository('deploy/alertmanager/alertmanager.yml'), 'utf8'),
    ) as { inhibit_rules: unknown[] };
    type Matchers = { name: string; matchType: string; value: string }[];
    type Config = {
      spec: { inhibitRules: { sourceMatch: Matchers; targetMatch: Matchers; equal?: string[] }[]; route?: unknown };
    };
    const [config] = ofKind<Config>('AlertmanagerConfig');
    const textOf = (matchers: Matchers) =>
      matchers.map(({ name, matchType, value }) => `${name}${matchType}"${value}"`);
    const made = config?.spec.inhibitRules.map(({ sourceMatch, targetMatch, ...more }) => ({
      source_matchers: textOf(sourceMatch),
      target_matchers: textOf(targetMatch),
      ...more,
    }));
    expect(made).toEqual(written);
    expect(config?.spec.route).toBeUndefined();
    const rules = ofKind<{ spec: { groups: { rules: Rule[] }[] } }>('PrometheusRule').flatMap(({ spec }) =>
      spec.groups.flatMap((group) => group.rules),
    );
    const alerts = rules.filter(({ alert }) => alert);
    expect(alerts.length).toBeGreaterThan(60);
    for (const { alert, labels } of alerts) expect([alert, labels?.namespace]).toEqual([alert, 'castellan']);
    for (const { record, labels } of rules)
      if (record) expect([record, labels?.namespace]).toEqual([record, undefined]);
  });

  test('behavior: an alert links to its page where the configuration says pages are', () => {
    const text = JSON.stringify(ofKind('PrometheusRule'));
    expect(text).toContain('"runbook_url":"https://git.example.org/castellan/blob/main/docs/runbooks/ServiceDown.md"');
    expect(text).not.toContain('"runbook_url":"docs/');
  });
});

describe('what a configuration leaves out', () => {
  test('behavior: a bus elsewhere, no policies, no operator, no keeper and no validators are not written', () => {
    expect([...least.manifests.keys()]).toEqual(['namespace', 'gateway', 'auth', 'vaults', 'analytics', 'users', 'ai']);
  });

  test('behavior: streams of a bus elsewhere have the limit that the configuration says', async () => {
    const limited = small.replace('port: 4222 }]', 'port: 4222 }], streamsMaxMb: 6000');
    const { manifests } = await manifestsOf(configurationOf(limited, '.'));
    expect(JSON.stringify(manifests.get('vaults'))).toContain('{"name":"NATS_STREAMS_MAX_MB","value":"6000"}');
    expect(JSON.stringify(least.manifests.get('vaults'))).not.toContain('NATS_STREAMS_MAX_MB');
  });

  test('behavior: what does not run is not watched: its rules would say that it is down', () => {
    const whole = ruleFilesOf(readExample());
    expect(whole).toEqual(expect.arrayContaining(['castellan', 'edge', 'keeper', 'validator']));
    const files = ruleFilesOf(configurationOf(small, '.'));
    expect(whole.filter((file) => !files.includes(file))).toEqual(
      expect.arrayContaining(['edge', 'keeper', 'validator']),
    );
  });
});
