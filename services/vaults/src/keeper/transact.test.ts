import { expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import type { Kept, Open } from './journal.mongo.ts';
import type { KeeperPorts } from './ports.ts';
import { replace } from './transact.ts';

const raw: Hex = '0x02';
const attempt = { hash: '0xaa', raw, max_fee: '100', tip: '1', kind: 'deliver', block: 1 } as const;
const open = { key: 'int', kind: 'intent', nonce: 7, attempts: [attempt], gas: '1' } as unknown as Open;
const kept = { _id: '1:0x', chain_id: 1, open } as unknown as Kept & { open: Open };

test.each(['deliver', 'cancel'] as const)(
  'behavior: at the highest price that may be offered it is sent again instead of a dearer %s: a node may have forgotten it',
  async (kind) => {
    const sent: Hex[] = [];
    const ports = {
      chain: {
        chainId: 1,
        market: async () => ({ baseFee: 500n, tip: 1n }),
        head: async () => ({ number: 50, time: 50 }),
        send: async (form: Hex) => {
          sent.push(form);
          return 'accepted';
        },
      },
      settings: { maxFee: 100n },
      metrics: { transactions: { inc: () => undefined } },
      logger: { warn: () => undefined },
    } as unknown as KeeperPorts;
    expect(await replace(ports, kept, kind)).toBe(kept);
    expect(sent).toEqual([raw]);
  },
);
