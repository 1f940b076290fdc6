import { updatePpsDigest } from '@castellan/chain';
import { concatBytes } from '@noble/hashes/utils.js';
import { hexToBytes } from 'viem';
import { sign } from 'viem/accounts';
import { decodeReport, encodeReport } from '../../../src/plugin/report.ts';
import type { Transport } from '../../../src/ports.ts';
import { decodeMessage, encodeMessage, type Message, type ReportReq } from '../../../src/protocol/messages.ts';
import { attestationMessage, inputsHash } from '../../../src/protocol/signing.ts';
import { type PriceWorld, priceSeparator, privateKeyOf } from './price-world.ts';

const limits = (oracles: number) => ({ oracles, query: 0, observation: 2 ** 16, report: 2 ** 16, signature: 2 ** 16 });

type World = Pick<PriceWorld, 'config' | 'keys'>;

/** The report that it has signed, a little dearer, as well signed as the first. */
async function another(
  index: number,
  asked: ReportReq,
  report: Uint8Array,
  { config, keys }: World,
): Promise<Uint8Array> {
  const { epoch, round } = asked;
  const entries = decodeReport(report).map((entry) => ({ ...entry, pps: entry.pps + 1n }));
  const dearer = encodeReport(entries);
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const hash = updatePpsDigest({ ...entry, domainSeparator: priceSeparator });
    parts.push(hexToBytes(await sign({ hash, privateKey: privateKeyOf(index), to: 'hex' })));
  }
  const signature = concatBytes(...parts);
  const outcome = {
    inputs: inputsHash(asked.query, asked.observations),
    observers: asked.observations.map(({ observer }) => observer),
    report: dearer,
  };
  const message = attestationMessage({ digest: config.digest, epoch, round }, outcome, signature);
  const signed = { report: dearer, signature, attestation: keys.signNow(index, message) };
  return encodeMessage({ kind: 'report', epoch, round, signed });
}

/** The transport of a node that reports twice to each leader. */
export function signTwice(index: number, honest: Transport, world: World): Transport {
  const read = (bytes: Uint8Array): Message => decodeMessage(bytes, limits(world.config.oracles.length));
  let asked: ReportReq | null = null;
  return {
    ...honest,
    start: (handler) =>
      honest.start((from, bytes) => {
        const message = read(bytes);
        if (message.kind === 'report_req') asked = message;
        handler(from, bytes);
      }),
    send: (to, bytes) => {
      honest.send(to, bytes);
      const message = read(bytes);
      if (message.kind !== 'report' || message.signed === null || asked === null) return;
      void another(index, asked, message.signed.report, world).then((second) => honest.send(to, second));
    },
  };
}
