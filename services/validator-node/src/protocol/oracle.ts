import { verifyEd25519 } from '../keys/ed25519.ts';
import { MalformedMessage } from './bytes.ts';
import { createConflicts } from './conflicts.ts';
import { createEpochs, type Epochs } from './epochs.ts';
import { createFinalization } from './finalization.ts';
import { createFollower, type Follower, type Verdict } from './follower.ts';
import { createFutureMessages } from './future-messages.ts';
import { createInstance, type OracleOptions } from './instance.ts';
import { createLeader, type Leader } from './leader.ts';
import { createMailbox } from './mailbox.ts';
import { decodeMessage, type Message, maxMessageBytes, type RoundMessage } from './messages.ts';
import { createOmissions } from './omissions.ts';
import { recover } from './recovery.ts';
import { createScope, type Scope } from './scope.ts';
import { createTransmission } from './transmission.ts';

export type Oracle = {
  /** @throws when the store cannot be read: nothing runs from memory alone. */
  start(): Promise<void>;
  /** Hands over the epoch it leads, and is silent from then on. @returns when a signature in progress is made and recorded. */
  stop(): Promise<void>;
  /** Where this node stands, and how much it holds. */
  inspect(): OracleView;
};

export type OracleView = {
  epoch: number;
  leader: number;
  round: number;
  held: { mailbox: number; future: number; finalized: number; pendings: number };
};

/** A round asks for a handful of messages per peer; what is beyond is a flood. */
const waitingPerSender = 32;

type Term = { scope: Scope; epoch: number; leader: number; follower: Follower; leading: Leader | null };

/** One participant of the network under one configuration; a new configuration takes a new oracle. */
export function createOracle(options: OracleOptions): Oracle {
  const { config, observer, transport, store } = options;
  const tracked = new Set<Promise<unknown>>();
  const onFault = (error: unknown) => observer({ type: 'fault', where: 'protocol', error });
  const mailbox = createMailbox({ perSender: waitingPerSender, onFault });
  const complete = { verifyOffchain: verifyEd25519, ...options };
  const instance = createInstance(complete, mailbox, (from, message) => dispatch(from, message), tracked);
  const { limits, me } = instance;
  const scope = createScope(instance);
  const future = createFutureMessages();
  const transmission = createTransmission(instance, scope);
  const omissions = createOmissions(instance);
  const conflicts = createConflicts(instance, scope);
  const finalization = createFinalization(instance, conflicts, transmission.accept);
  let term: Term | null = null;
  let running = false;
  let stopping = false;

  const epochs: Epochs = createEpochs(instance, scope, {
    enter: (epoch, leads) => {
      term?.scope.close();
      if (stopping) return;
      term = begin(epoch, leads);
      for (const { from, message } of future.take(epoch)) mailbox.post(() => dispatch(from, message));
    },
  });

  const begin = (epoch: number, leads: boolean): Term => {
    const termScope = createScope(instance);
    const leader = instance.leaderOf(epoch);
    const follower = createFollower(instance, termScope, epoch, leader, {
      progress: epochs.progress,
      review: omissions.review,
      termOver: () => epochs.changeLeader('rmax'),
      finalized: finalization.onFinal,
      conflicts,
    });
    const leading = leads ? createLeader(instance, conflicts, termScope, epoch) : null;
    leading?.start();
    return { scope: termScope, epoch, leader, follower, leading };
  };

  const dispatch = async (from: number, message: Message): Promise<void> => {
    const result = await take(from, message);
    if (from !== me) observer({ type: 'message', from, kind: message.kind, result });
  };

  const take = async (from: number, message: Message): Promise<Verdict> => {
    if (message.kind === 'wish') return epochs.onWish(from, message.epoch);
    if (message.kind === 'final_echo') return finalization.onEcho(from, message, epochs.lastPlausible());
    if (!term || message.epoch < term.epoch) return 'wrong_epoch';
    if (message.epoch === term.epoch) return inTerm(term, from, message);
    future.put(from, message);
    return 'ok';
  };

  const inTerm = async ({ leader, follower, leading }: Term, from: number, message: RoundMessage): Promise<Verdict> => {
    if (message.kind === 'observe') return leading?.onObserve(from, message) ?? 'unexpected';
    if (message.kind === 'report') return (await leading?.onReport(from, message)) ?? 'unexpected';
    if (from !== leader) return 'unexpected';
    epochs.heard();
    if (message.kind === 'observe_req') return follower.onObserveReq(message);
    if (message.kind === 'report_req') return follower.onReportReq(message);
    return follower.onFinal(message);
  };

  const receive = (from: number, bytes: Uint8Array): void => {
    // Before the state is restored a wish would be written over it.
    if (!running) return;
    const refuse = (result: Verdict) => observer({ type: 'message', from, kind: 'unread', result });
    if (from === me || !Number.isInteger(from) || from < 0 || from >= instance.n) refuse('malformed');
    else if (bytes.length > maxMessageBytes(limits)) refuse('oversized');
    else if (!mailbox.offer(from, () => read(from, bytes, refuse))) refuse('rate_limited');
  };

  const read = async (from: number, bytes: Uint8Array, refuse: (result: Verdict) => void): Promise<void> => {
    let message: Message;
    try {
      message = decodeMessage(bytes, limits);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      refuse('malformed');
      return;
    }
    await dispatch(from, message);
  };

  /** The wish is on disk and with the transport when this returns, or the store did not take it. */
  const handOver = async (): Promise<void> => {
    const done = Promise.withResolvers<void>();
    mailbox.post(() => epochs.resign().finally(done.resolve));
    await done.promise;
  };

  const stop = async (): Promise<void> => {
    const wasRunning = running;
    running = false;
    stopping = true;
    term?.scope.close();
    if (wasRunning) await handOver();
    scope.close();
    await mailbox.close();
    await Promise.allSettled([...tracked]);
    await transport.close();
  };

  return {
    start: async () => {
      const record = await store.readPacemaker(config.digest);
      const pendings = await store.pendings(config.digest);
      transport.start(receive);
      const started = Promise.withResolvers<void>();
      mailbox.post(async () => {
        await transmission.restore(pendings);
        await epochs.start(record);
        await recover(instance, scope, epochs);
        finalization.resume(epochs.epoch(), pendings);
        running = true;
        started.resolve();
      });
      mailbox.post(() => (running ? undefined : started.reject(new Error('the protocol did not start'))));
      await started.promise.catch(async (error: unknown) => {
        await stop();
        throw error;
      });
    },
    stop,
    inspect: () => ({
      epoch: epochs.epoch(),
      leader: instance.leaderOf(epochs.epoch()),
      round: term?.follower.round() ?? 0,
      held: {
        mailbox: mailbox.waiting(),
        future: future.size(),
        finalized: finalization.size(),
        pendings: transmission.size(),
      },
    }),
  };
}
