import { isU32, MalformedMessage, reader, writer } from './bytes.ts';

export type SignedObservation = { observer: number; observation: Uint8Array; signature: Uint8Array };

/** `signature` is the plugin's, for the contract; `attestation` binds it to epoch, round and inputs, for the other oracles. */
export type ReportSignature = { signer: number; signature: Uint8Array; attestation: Uint8Array };

type InRound = { epoch: number; round: number };
type Attested = InRound & {
  inputs: Uint8Array;
  /** Whose observations the report is made of, ascending. */
  observers: readonly number[];
  report: Uint8Array;
  signatures: readonly ReportSignature[];
};

export type Wish = { kind: 'wish'; epoch: number };
export type ObserveReq = InRound & { kind: 'observe_req'; query: Uint8Array };
export type Observe = InRound & { kind: 'observe'; observation: Uint8Array; signature: Uint8Array };
export type ReportReq = InRound & {
  kind: 'report_req';
  query: Uint8Array;
  observations: readonly SignedObservation[];
};
export type Report = InRound & {
  kind: 'report';
  /** Null: nothing to report in this round. */
  signed: { report: Uint8Array; signature: Uint8Array; attestation: Uint8Array } | null;
};
export type Final = Attested & { kind: 'final' };
export type FinalEcho = Attested & { kind: 'final_echo' };

export type RoundMessage = ObserveReq | Observe | ReportReq | Report | Final;
export type Message = Wish | RoundMessage | FinalEcho;

/** `oracles` is their number; the rest are the plugin's longest values in bytes. */
export type MessageLimits = { oracles: number; query: number; observation: number; report: number; signature: number };

const version = 1;
const kinds = ['wish', 'observe_req', 'observe', 'report_req', 'report', 'final', 'final_echo'] as const;
const ed25519Bytes = 64;
const hashBytes = 32;

/** Longest message that these limits allow; what is longer is dropped unread. */
export function maxMessageBytes(limits: MessageLimits): number {
  const head = 2 + 4 + 1;
  const reportReq = head + 4 + limits.query + 1 + limits.oracles * (1 + 4 + limits.observation + ed25519Bytes);
  const final =
    head + hashBytes + 4 + 4 + limits.report + 1 + limits.oracles * (1 + 4 + limits.signature + ed25519Bytes);
  return Math.max(reportReq, final);
}

export function encodeMessage(message: Message): Uint8Array {
  const out = writer().u8(version).u8(kinds.indexOf(message.kind)).u32(message.epoch);
  if (message.kind === 'wish') return out.done();
  out.u8(message.round);
  switch (message.kind) {
    case 'observe_req':
      return out.bytes32(message.query).done();
    case 'observe':
      return out.bytes32(message.observation).raw(message.signature).done();
    case 'report_req':
      out.bytes32(message.query).u8(message.observations.length);
      for (const { observer, observation, signature } of message.observations)
        out.u8(observer).bytes32(observation).raw(signature);
      return out.done();
    case 'report':
      out.u8(message.signed ? 1 : 0);
      if (message.signed)
        out.bytes32(message.signed.report).bytes32(message.signed.signature).raw(message.signed.attestation);
      return out.done();
    case 'final':
    case 'final_echo':
      out.raw(message.inputs).u32(toBitmap(message.observers)).bytes32(message.report).u8(message.signatures.length);
      for (const { signer, signature, attestation } of message.signatures)
        out.u8(signer).bytes32(signature).raw(attestation);
      return out.done();
  }
}

/**
 * Strict: each message has one encoding, and everything else is refused.
 * @throws {MalformedMessage} and nothing else, whatever the bytes.
 */
export function decodeMessage(bytes: Uint8Array, limits: MessageLimits): Message {
  if (bytes.length > maxMessageBytes(limits)) throw new MalformedMessage(`${bytes.length} bytes in one message`);
  const input = reader(bytes);
  if (input.u8() !== version) throw new MalformedMessage('unknown version');
  const kind = kinds[input.u8()];
  if (!kind) throw new MalformedMessage('unknown kind');
  const epoch = atLeastOne(input.u32());
  const message = kind === 'wish' ? { kind, epoch } : decodeInRound(kind, epoch, input, limits);
  input.end();
  return message;
}

function decodeInRound(
  kind: Exclude<Message['kind'], 'wish'>,
  epoch: number,
  input: ReturnType<typeof reader>,
  limits: MessageLimits,
): Message {
  const round = atLeastOne(input.u8());
  switch (kind) {
    case 'observe_req':
      return { kind, epoch, round, query: input.bytes32(limits.query) };
    case 'observe':
      return { kind, epoch, round, observation: input.bytes32(limits.observation), signature: input.raw(ed25519Bytes) };
    case 'report_req': {
      const query = input.bytes32(limits.query);
      const observations = ascending(input, limits.oracles, (observer) => ({
        observer,
        observation: input.bytes32(limits.observation),
        signature: input.raw(ed25519Bytes),
      }));
      return { kind, epoch, round, query, observations };
    }
    case 'report': {
      const flag = input.u8();
      if (flag > 1) throw new MalformedMessage('neither skip nor report');
      if (flag === 0) return { kind, epoch, round, signed: null };
      const report = input.bytes32(limits.report);
      const signature = input.bytes32(limits.signature);
      return { kind, epoch, round, signed: { report, signature, attestation: input.raw(ed25519Bytes) } };
    }
    case 'final':
    case 'final_echo': {
      const inputs = input.raw(hashBytes);
      const observers = fromBitmap(input.u32(), limits.oracles);
      const report = input.bytes32(limits.report);
      const signatures = ascending(input, limits.oracles, (signer) => ({
        signer,
        signature: input.bytes32(limits.signature),
        attestation: input.raw(ed25519Bytes),
      }));
      return { kind, epoch, round, inputs, observers, report, signatures };
    }
  }
}

/** Entries in ascending order of oracle: none out of range, none twice. */
function ascending<T>(input: ReturnType<typeof reader>, oracles: number, entry: (oracle: number) => T): T[] {
  const count = input.u8();
  if (count > oracles) throw new MalformedMessage(`${count} entries of ${oracles} oracles`);
  let last = -1;
  return Array.from({ length: count }, () => {
    const oracle = input.u8();
    if (oracle <= last || oracle >= oracles) throw new MalformedMessage(`oracle ${oracle} after ${last}`);
    last = oracle;
    return entry(oracle);
  });
}

function atLeastOne(value: number): number {
  if (value === 0) throw new MalformedMessage('epoch and round count from 1');
  return value;
}

/** One bit per oracle: the 31 of a network fit into an u32. */
export const toBitmap = (oracles: readonly number[]): number =>
  oracles.reduce((bits, oracle) => (bits | (1 << oracle)) >>> 0, 0);

function fromBitmap(bits: number, oracles: number): number[] {
  if (!isU32(bits) || bits >= 2 ** oracles) throw new MalformedMessage('an observer out of range');
  return Array.from({ length: oracles }, (_, i) => i).filter((i) => (bits >>> i) & 1);
}
