const services = '^services/([^/]+)/';

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
      comment: 'Services import contracts, service-kit, log-follower, tokens, strategy and chain only.',
      severity: 'error',
      from: { path: '^services/', pathNot: '\\.test\\.ts$|/test/' },
      to: {
        path: '^(packages|web)/',
        pathNot: '^packages/(contracts|service-kit|log-follower|tokens|strategy|chain)/',
      },
    },
    {
      name: 'web-uses',
      comment: 'web imports only sdk, contracts and strategy.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(packages|services|tools|tests|bench)/', pathNot: '^packages/(sdk|contracts|strategy)/' },
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
      name: 'tokens-use-kit',
      severity: 'error',
      comment: 'tokens stands on contracts and service-kit.',
      from: { path: '^packages/tokens/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(tokens|service-kit|contracts)/' },
    },
    {
      name: 'log-follower-uses-kit',
      severity: 'error',
      comment: 'log-follower stands on contracts and service-kit.',
      from: { path: '^packages/log-follower/', pathNot: '\\.test\\.ts$|/test/' },
      to: { path: '^(packages|services|web)/', pathNot: '^packages/(log-follower|service-kit|contracts)/' },
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
      from: { path: '^services/[^/]+/src/domain/' },
      to: { path: '^services/[^/]+/src/(adapters|models|use-cases|indexer|main|[^/]+\\.service)' },
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
