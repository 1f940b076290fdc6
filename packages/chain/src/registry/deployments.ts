/**
 * Public deployments as published with the contracts (same addresses on both chains). They are used only for a chain that
 * `CHAINS` turns on by giving it RPC URLs; any field can be overridden there.
 */
const productionSet = {
  governor: '0xB5396ef2bF8CA360cEB4166b77AFb2bed20e74d4',
  aggregator: '0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698',
  pps_oracle: '0x366d88F03B8EF34eb49F32a927ff6e1609F694F2',
} as const;

/** Defaults by chain id, in the shape of a `CHAINS` entry without RPC URLs. */
export const deployments = {
  1: {
    ...productionSet,
    slug: 'ethereum',
    name: 'Ethereum',
    explorer_url: 'https://etherscan.io',
    native_symbol: 'ETH',
    block_time_seconds: 12,
    // Two epochs of 32 slots, after which a block is final while the beacon chain finalises.
    confirmations: 64,
    observation_cadence_seconds: 60,
    // Well before December 2025, when these contracts were deployed; the exact block is not published.
    start_block: 23_600_000,
  },
  8453: {
    ...productionSet,
    slug: 'base',
    name: 'Base',
    explorer_url: 'https://basescan.org',
    native_symbol: 'ETH',
    block_time_seconds: 2,
    // Ten minutes: within them a batch with the block is on Ethereum, and only a reorganisation of Ethereum takes it back.
    confirmations: 300,
    observation_cadence_seconds: 60,
    // The GasPriceOracle, a predeploy of every chain of the OP stack.
    l1_fee_oracle: '0x420000000000000000000000000000000000000F',
    // 2025-11-01: (1761955200 - 1686789347) / 2, Base's genesis time and its fixed block time.
    start_block: 37_582_926,
  },
} as const;

/** The public vaults known by name, for read-only checks against the real chains. */
export const knownVaults = {
  1: [
    {
      name: 'superUSDC',
      vault: '0xf6EbeA08a0Dfd44825f67Fa9963911c81BE2a947',
      strategy: '0x41A9Eb398518D2487301c61D2b33E4e966A9F1DD',
      escrow: '0x11c016dFb1745A81587e5e3Fa8fc75f5693F427b',
    },
    {
      name: 'superWBTC',
      vault: '0x8c365aF7094Eaac29314eDeE577B435892CA93A3',
      strategy: '0xa96060B0B6907406EdBDf3cCc9438abf0F78Cf83',
      escrow: '0xdE61F1c76b1E169EF76faA2b97955F8714cd69d4',
    },
    {
      name: 'superWETH',
      vault: '0xa036823b9A24F63c32553367bf181Ee04229c3AC',
      strategy: '0x1199a6B2587Ed96446E76Dee3FB660bb8fCfd0b2',
      escrow: '0x41941100b24765ea0f31Bcc95094c5874D27c93d',
    },
    {
      name: 'sUP',
      vault: '0x179aA9A1bDE3D2B8e9d10388D4Dde818a93FEED2',
      strategy: '0xB66C9757CF54AD53F4fA0F68E72eE2F80f737943',
      escrow: '0x01C114c8Bc73E4ad34fa40D24cDAb5D83E67C16F',
    },
  ],
} as const;
