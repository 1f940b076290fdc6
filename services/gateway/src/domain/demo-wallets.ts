/** A wallet of the local chain that the web app may sign with. */
export type DemoWallet = { label: string; address: string; private_key: string };

/**
 * Accounts 1, 2, 4 and 50 of the public test mnemonic every local chain uses; their keys are published and guard nothing.
 * @see https://getfoundry.sh/anvil/reference
 */
export const demoWallets: readonly DemoWallet[] = [
  {
    label: 'Primary manager',
    address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    private_key: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  },
  {
    label: 'Secondary manager',
    address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    private_key: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  },
  {
    label: 'View-only analyst',
    address: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    private_key: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  },
  {
    label: 'No role',
    address: '0xEe7f6A930B29d7350498Af97f0F9672EaecbeeFf',
    private_key: '0x70c2bd1b41084c2e2238551eace483321f8c1a413a471c3b49c8a5d1d6b3d0c4',
  },
];
