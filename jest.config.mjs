const common = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/.castellan/'],
  modulePathIgnorePatterns: ['<rootDir>/.castellan/'],
};
const node = { ...common, testEnvironment: 'node', transform: {} };

/** `TESTCONTAINERS=1`: the same integration tests against real images; see packages/testkit. */
const onDocker =
  process.env.TESTCONTAINERS === '1'
    ? { testEnvironment: '<rootDir>/packages/testkit/src/docker/jest-environment.ts' }
    : {};

export default {
  maxWorkers: 2,
  testTimeout: 30_000,
  projects: [
    {
      ...node,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,services,tools}/**/*.test.ts'],
      testPathIgnorePatterns: [...common.testPathIgnorePatterns, '\\.integration\\.test\\.ts$', '\\.e2e\\.test\\.ts$'],
    },
    {
      ...node,
      ...onDocker,
      displayName: 'integration',
      globalSetup: '<rootDir>/packages/testkit/src/shared/jest-setup.ts',
      globalTeardown: '<rootDir>/packages/testkit/src/shared/jest-teardown.ts',
      testMatch: ['<rootDir>/{packages,services,tests}/**/*.integration.test.ts'],
    },
    {
      ...node,
      displayName: 'e2e',
      testMatch: ['<rootDir>/tests/**/*.e2e.test.ts'],
      globalSetup: '<rootDir>/tests/system/global-setup.ts',
      globalTeardown: '<rootDir>/tests/system/global-teardown.ts',
    },
    {
      ...common,
      displayName: 'web',
      testEnvironment: 'jsdom',
      testMatch: ['<rootDir>/web/**/*.test.{ts,tsx}'],
      transform: {
        '^.+\\.tsx?$': [
          '@swc/jest',
          {
            jsc: {
              parser: { syntax: 'typescript', tsx: true },
              transform: { react: { runtime: 'automatic' } },
              target: 'es2024',
            },
            module: { type: 'es6' },
          },
        ],
      },
    },
  ],
};
