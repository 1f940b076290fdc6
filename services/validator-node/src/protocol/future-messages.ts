import type { RoundMessage } from './messages.ts';

const perSender = 10;

/** Messages of epochs this node has not reached; of each sender the latest few. */
export function createFutureMessages() {
  const bySender = new Map<number, RoundMessage[]>();
  return {
    put(from: number, message: RoundMessage): void {
      bySender.set(from, [...(bySender.get(from) ?? []), message].slice(-perSender));
    },
    /** Takes out what is of this epoch and forgets what is older. */
    take(epoch: number): { from: number; message: RoundMessage }[] {
      const due: { from: number; message: RoundMessage }[] = [];
      for (const [from, messages] of bySender) {
        due.push(...messages.filter((message) => message.epoch === epoch).map((message) => ({ from, message })));
        bySender.set(
          from,
          messages.filter((message) => message.epoch > epoch),
        );
      }
      return due;
    },
    size: (): number => [...bySender.values()].reduce((total, messages) => total + messages.length, 0),
  };
}
