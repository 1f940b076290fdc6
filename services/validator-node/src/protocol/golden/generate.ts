import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/**
 * Prints the golden vectors: `node generate.ts > vectors.json`. Written from the description of the protocol with node:crypto alone;
 * imports nothing of what the vectors test.
 */
const u8 = (value: number) => Buffer.from([value]);
const u32 = (value: number) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex');
const u64 = (value: number) => Buffer.from(value.toString(16).padStart(16, '0'), 'hex');
const text = (value: string) => Buffer.from(value, 'utf8');
const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

const digest = sha256(text('a configuration'));
const seed = text('sixteen bytes ok');

/** Words of HMAC-SHA256(seed, label | digest | context | u32 counter), one block after the other. */
function* words(label: string, context: Buffer): Generator<number> {
  for (let counter = 0; ; counter += 1) {
    const block = createHmac('sha256', seed)
      .update(Buffer.concat([text(label), digest, context, u32(counter)]))
      .digest();
    for (let at = 0; at < 32; at += 4) yield block.readUInt32BE(at);
  }
}

/** Fisher-Yates from the last place down; a word at or above the largest multiple of the bound is thrown away. */
function permutation(label: string, context: Buffer, n: number): number[] {
  const source = words(label, context);
  const places = [...Array(n).keys()];
  for (let last = n - 1; last >= 1; last--) {
    const bound = last + 1;
    let word = source.next().value as number;
    while (word >= 0x1_0000_0000 - (0x1_0000_0000 % bound)) word = source.next().value as number;
    const other = word % bound;
    const moved = places[last] as number;
    places[last] = places[other] as number;
    places[other] = moved;
  }
  return places;
}

const leaders = (n: number, first: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const epoch = first + i;
    return permutation('castellan-ocr2/leader/v1', u32(Math.floor(epoch / n)), n)[epoch % n];
  });

const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), sha256(text('an off-chain key'))]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);

const epoch = 258;
const round = 3;
const query = text('query');
const observation = text('an observation');
const observations = [
  { observer: 0, observation },
  { observer: 2, observation: text('') },
  { observer: 3, observation: text('another') },
];
const report = text('a report');
const at = Buffer.concat([digest, u32(epoch), u8(round)]);
const observationMessage = Buffer.concat([
  text('castellan-ocr2/observation/v1'),
  sha256(at, u64(query.length), query, u64(observation.length), observation),
]);
const inputs = sha256(
  text('castellan-ocr2/inputs/v1'),
  u64(query.length),
  query,
  u8(observations.length),
  ...observations.flatMap((entry) => [u8(entry.observer), u64(entry.observation.length), entry.observation]),
);
const observers = 0b1101;
const priceSignature = text('price signature');
const attestationMessage = Buffer.concat([
  text('castellan-ocr2/report/v2'),
  sha256(...[at, inputs, u32(observers), u64(report.length), report], ...[u64(priceSignature.length), priceSignature]),
]);

const signature = sign(null, observationMessage, key);
const attestation = sign(null, attestationMessage, key);
const head = (kind: number) => Buffer.concat([u8(1), u8(kind), u32(epoch), u8(round)]);
const final = (kind: number) =>
  Buffer.concat([
    ...[head(kind), inputs, u32(observers), u32(report.length), report, u8(1)],
    ...[u8(2), u32(priceSignature.length), priceSignature, attestation],
  ]);
const messages = {
  wish: Buffer.concat([u8(1), u8(0), u32(epoch)]),
  observe_req: Buffer.concat([head(1), u32(query.length), query]),
  observe: Buffer.concat([head(2), u32(observation.length), observation, signature]),
  report_req: Buffer.concat([
    ...[head(3), u32(query.length), query, u8(observations.length)],
    ...observations.flatMap((entry) => [
      u8(entry.observer),
      u32(entry.observation.length),
      entry.observation,
      signature,
    ]),
  ]),
  report: Buffer.concat([
    ...[head(4), u8(1), u32(report.length), report, u32(priceSignature.length), priceSignature, attestation],
  ]),
  report_skip: Buffer.concat([head(4), u8(0)]),
  final: final(5),
  final_echo: final(6),
};

const hex = (bytes: Buffer) => bytes.toString('hex');
const vectors = {
  digest: hex(digest),
  seed: hex(seed),
  leaders: [1, 4, 7, 31].map((n) => ({ n, first: 1, leaders: leaders(n, 1, 3 * n) })),
  lateLeaders: { n: 7, first: 4_294_967_280, leaders: leaders(7, 4_294_967_280, 15) },
  transmission: [4, 31].flatMap((n) =>
    [1, 254].map((of) => ({
      n,
      epoch,
      round: of,
      order: permutation('castellan-ocr2/transmit/v1', Buffer.concat([u32(epoch), u8(of)]), n),
    })),
  ),
  signing: {
    epoch,
    round,
    observers: [0, 2, 3],
    publicKey: hex(publicKey),
    query: hex(query),
    observation: hex(observation),
    report: hex(report),
    priceSignature: hex(priceSignature),
    observations: observations.map((entry) => ({ ...entry, observation: hex(entry.observation) })),
    observationMessage: hex(observationMessage),
    observationSignature: hex(signature),
    inputs: hex(inputs),
    attestationMessage: hex(attestationMessage),
    attestation: hex(attestation),
  },
  messages: Object.fromEntries(Object.entries(messages).map(([name, bytes]) => [name, hex(bytes)])),
};
process.stdout.write(`${JSON.stringify(vectors, null, 2)}\n`);
