import {
  ConfigChanged,
  type EventData,
  ObservationDropped,
  RoundFinished,
  RoundStarted,
  StrategyRecovered,
  StrategyStale,
  TransmissionAttempted,
  TransmissionConfirmed,
  TransmissionFailed,
  TransmissionMined,
  TransmissionSuperseded,
  validatorEvents,
} from '@castellan/contracts';
import { on } from '@castellan/service-kit';
import type { ReceiptReader } from '../adapters/receipts.rpc.ts';
import type { ValidatorStore } from '../adapters/validator-network.mongo.ts';
import { type HistoryPorts, hourKeeper } from './keep-history.ts';

type FollowPorts = HistoryPorts & { validators: ValidatorStore; receipts: ReceiptReader };

/** How the rounds went, and what was sent for them: what is kept for a look back. */
function historyHandlers({ validators, history, receipts }: FollowPorts, keepHours: (t: string) => Promise<void>) {
  const ended =
    (state: 'stored' | 'failed' | 'not_needed') =>
    async (event: EventData<typeof TransmissionConfirmed | typeof TransmissionFailed>): Promise<void> => {
      await validators.heard(event);
      const receipt = event.tx_hash === null ? null : await receipts.receipt(event.chain_id, event.tx_hash);
      await history.ended(event, state, receipt);
    };
  return [
    on(RoundStarted, async (event) => {
      await validators.heard(event);
      // Its leader alone begins a round; the others hear of it later.
      if (event.leader !== event.node_index) return;
      await history.began(event);
      await keepHours(event.t);
    }),
    on(ObservationDropped, async (event) => {
      await validators.heard(event);
      await history.dropped(event);
    }),
    on(TransmissionAttempted, async (event) => {
      await validators.heard(event);
      await history.attempted(event);
    }),
    on(TransmissionMined, async (event) => {
      await validators.heard(event);
      await history.mined(event);
    }),
    on(TransmissionConfirmed, ended('stored')),
    on(TransmissionFailed, ended('failed')),
    on(TransmissionSuperseded, ended('not_needed')),
  ];
}

const withHandler: ReadonlySet<string> = new Set(
  [
    RoundFinished,
    ConfigChanged,
    StrategyStale,
    StrategyRecovered,
    RoundStarted,
    ObservationDropped,
    TransmissionAttempted,
    TransmissionMined,
    TransmissionConfirmed,
    TransmissionFailed,
    TransmissionSuperseded,
  ].map(({ name }) => name),
);

/** Handlers of the validators' events: each says that its node is there. Safe to repeat. */
export function followValidators(ports: FollowPorts) {
  const { validators, history } = ports;
  const keepHours = hourKeeper(ports);
  return [
    on(RoundFinished, async (event) => {
      await validators.heard(event);
      await validators.roundFinished(event);
      await history.finished(event);
      await keepHours(event.t);
    }),
    on(ConfigChanged, async (event) => {
      await validators.heard(event);
      await validators.configChanged(event);
      await history.members(event);
    }),
    on(StrategyStale, async (event) => {
      await validators.heard(event);
      await validators.strategyChanged(event, true);
    }),
    on(StrategyRecovered, async (event) => {
      await validators.heard(event);
      await validators.strategyChanged(event, false);
    }),
    ...historyHandlers(ports, keepHours),
    ...validatorEvents
      .filter(({ name }) => !withHandler.has(name))
      .map((event) => on(event, (data) => validators.heard(data))),
  ];
}
