const services = '^services/([^/]+)/';

/**
 * The folders of each service and of the web in the order in which they build on each other: a folder imports those before it and none behind it.
 * They are the subjects of a service, or its layers where it has one subject. A new folder takes its place here.
 */
const foldersInOrder = {
  'services/ai/src': [
    'domain',
    'http',
    'store',
    'telemetry',
    'budgets',
    'context',
    'feed',
    'tools',
    'analyst',
    'mcp',
    'analysis',
    'chat',
  ],
  'services/analytics/src': ['domain', 'models', 'use-cases', 'adapters', 'verify', 'projector'],
  'services/auth/src': ['domain', 'models', 'use-cases', 'adapters'],
  'services/gateway/src': ['adapters', 'cache', 'domain', 'http', 'live', 'openapi'],
  'services/users/src': ['store', 'backups', 'access', 'audit', 'alerts', 'mandates', 'scenarios', 'report'],
  'services/users/src/alerts': ['journal', 'records', 'duty', 'channels', 'rules', 'delivery', 'evaluator'],
  'services/validator-node/src': [
    'config',
    'keys',
    'monitoring',
    'transmit',
    'transport',
    'protocol',
    'store',
    'plugin',
    'chain',
    'node',
    'cli',
  ],
  'services/vaults/src': [
    'chains',
    'log',
    'vault',
    'oracle-network',
    'mandates',
    'prepared-calls',
    'hook-trees',
    'strategies',
    'readings',
    'keeper',
  ],
  'services/vaults/src/prepared-calls': ['changes', 'signers', 'tracking', 'pause-proof'],
  'web/src': [
    'client',
    'format',
    'glossary',
    'navigation',
    'session',
    'design',
    'moment',
    'digests',
    'wallet',
    'data',
    'period',
    'live',
    'charts',
    'lists',
    'alerts',
    'receipts',
    'compare',
    'sessions',
    'validators',
    'vault',
    'ai',
    'audit',
    'feed',
    'home',
    'desk',
    'signing',
    'strategies',
    'calls',
    'chat',
    'merkle',
    'pause',
    'users',
    'settings',
    'mandate',
    'vault-page',
    'yield-sources',
    'operate',
    'palette',
    'app',
  ],
};

const oneWay = Object.entries(foldersInOrder).flatMap(([parent, folders]) =>
  folders.flatMap((folder, place) => {
    const behind = folders.slice(place + 1);
    if (behind.length === 0) return [];
    return {
      name: 'folders-face-one-way',
      comment: 'A folder imports those before it in foldersInOrder and none behind it; tests may.',
      severity: 'error',
      from: { path: `^${parent}/${folder}/`, pathNot: '\\.(test|fixture)\\.tsx?$' },
      to: { path: `^${parent}/(${behind.join('|')})/` },
    };
  }),
);

const listedFolders = Object.entries(foldersInOrder).map(([parent, folders]) => `${parent}/(${folders.join('|')})/`);

/** Any folder called domain, at whatever depth of a service. */
const domainFolder = '^services/.+/domain/';

/** Who may import whom. The comment of each rule is what the report prints. */
export default {
  forbidden: [
    { name: 'no-circles', comment: 'Imports make no circles.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'services-are-islands',
      comment: 'A service asks another one by its actions; it imports nothing of it.',
      severity: 'error',
      from: { path: services },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-use',
      comment:
        'Services import contracts, service-kit, log-follower, tokens, strategy, transactor, signer and chain only.',
      severity: 'error',
      from: { path: '^services/', pathNot: '\\.test\\.ts$|/test/' },
      to: {
        path: '^(packages|web)/',
        pathNot: '^packages/(contracts|service-kit|log-follower|tokens|strategy|transactor|signer|chain)/',
      },
    },
    {
      name: 'web-uses',
      comment: 'web imports only sdk, react, contracts and strategy.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(packages|services|tools|tests|bench)/', pathNot: '^packages/(sdk|react|contracts|strategy)/' },
    },
    {
      name: 'contracts-use-nothing',
      comment: 'contracts is the bottom.',
      severity: 'error',
      from: { path: '^packages/contracts/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/contracts/' },
    },
    {
      name: 'strategy-uses-nothing',
      comment: 'strategy runs in the browser as it does in a service; it imports an edit distance and nothing else.',
      severity: 'error',
      from: { path: '^packages/strategy/', pathNot: '\\.test\\.ts$|/test/' },
      to: {
        path: '^(packages|services|web)/|node_modules',
        pathNot: '^packages/strategy/|node_modules/fastest-levenshtein/',
      },
    },
    {
      name: 'chain-and-kit-use-contracts',
      severity: 'error',
      comment: 'chain, service-kit and sdk stand on contracts alone.',
      from: { path: '^packages/(chain|service-kit|sdk)/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(contracts|$1)/' },
    },
    {
      name: 'react-uses-sdk',
      severity: 'error',
      comment: 'react runs on the pages of others: it stands on sdk.',
      from: { path: '^packages/react/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(react|sdk)/' },
    },
    {
      name: 'cli-uses',
      severity: 'error',
      comment: 'cli runs at everybody: it stands on sdk and contracts.',
      from: { path: '^packages/cli/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(cli|sdk|contracts)/' },
    },
    {
      name: 'tokens-use-kit',
      severity: 'error',
      comment: 'tokens stands on contracts and service-kit.',
      from: { path: '^packages/tokens/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(tokens|service-kit|contracts)/' },
    },
    {
      name: 'events-use-kit',
      severity: 'error',
      comment: 'events stands on contracts and service-kit.',
      from: { path: '^packages/events/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(events|service-kit|contracts)/' },
    },
    {
      name: 'log-follower-uses-kit',
      severity: 'error',
      comment: 'log-follower stands on contracts and service-kit.',
      from: { path: '^packages/log-follower/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(log-follower|service-kit|contracts)/' },
    },
    {
      name: 'transactor-uses-chain',
      severity: 'error',
      comment: 'transactor stands on chain.',
      from: { path: '^packages/transactor/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(transactor|chain)/' },
    },
    {
      name: 'signer-uses-nothing',
      severity: 'error',
      comment: 'signer stands on nothing of ours.',
      from: { path: '^packages/signer/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/signer/' },
    },
    {
      name: 'protocol-uses-chain',
      severity: 'error',
      comment: 'protocol stands on chain.',
      from: { path: '^packages/protocol/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(protocol|chain|contracts)/' },
    },
    {
      name: 'devnet-uses',
      severity: 'error',
      comment: 'devnet stands on protocol, chain and embedded.',
      from: { path: '^packages/devnet/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(devnet|protocol|chain|embedded|contracts)/' },
    },
    {
      name: 'embedded-uses-nothing',
      severity: 'error',
      comment: 'embedded is replaced by real servers; nothing of ours is in it.',
      from: { path: '^packages/embedded/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/embedded/' },
    },
    {
      name: 'testkit-only-from-tests',
      severity: 'error',
      comment: 'testkit is imported from tests and benches only.',
      from: { path: '^(packages|services|web|tools)/', pathNot: '\\.test\\.tsx?$|/test/|^packages/testkit/' },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'A domain folder imports no adapter, model, use case or service.',
      from: { path: domainFolder },
      to: {
        path: [
          '^services/.+/(adapters|models|use-cases|indexer)/',
          '^services/.+/(main|models)\\.ts$',
          '^services/.+\\.(service|mongo|rpc)\\.ts$',
        ],
      },
    },
    {
      name: 'domain-does-no-io',
      severity: 'error',
      comment: 'A domain folder imports no file, network, timer, process or store.',
      from: { path: domainFolder, pathNot: '\\.test\\.ts$' },
      to: {
        path: [
          '^(node:)?(child_process|dgram|dns|fs|http|http2|https|net|timers|tls|worker_threads)(/|$)',
          'node_modules/(mongoose|moleculer|@nats-io)/',
        ],
      },
    },
    ...oneWay,
    {
      name: 'folders-are-listed',
      severity: 'error',
      comment: 'A folder of a service has its place in foldersInOrder.',
      from: { path: '^services/[^/]+/src/[^/]+/', pathNot: listedFolders.map((folders) => `^${folders}`) },
      to: {},
    },
    {
      name: 'root-imports-and-is-not-imported',
      severity: 'error',
      comment: 'What puts a service of several subjects together is imported by none of them.',
      from: { path: '^services/vaults/src/[^/]+/' },
      to: { path: '^services/vaults/src/[^/]+\\.ts$' },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      comment: 'Every import resolves.',
      from: { pathNot: '^web/' },
      to: { couldNotResolve: true, pathNot: '^(node:|bun:)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.castellan)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
