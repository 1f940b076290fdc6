type Job = () => void | Promise<void>;

export type Mailbox = {
  /** For what this node itself brought about; there is never much of it at once. */
  post(job: Job): void;
  /** For messages. @returns false when this sender has too many waiting already: the message is dropped. */
  offer(sender: number, job: Job): boolean;
  waiting(): number;
  /** Forgets what waits. @returns when the job in progress has ended. */
  close(): Promise<void>;
};

/** One job after the other: what runs here sees no change by others. A job that throws is reported, and the next one runs. */
export function createMailbox({
  perSender,
  onFault,
}: {
  perSender: number;
  onFault: (error: unknown) => void;
}): Mailbox {
  let queue: { job: Job; sender: number | null }[] = [];
  const bySender = new Map<number, number>();
  let drained: Promise<void> | null = null;
  let closed = false;

  const drain = async () => {
    // The caller of post has its say first.
    await null;
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (next.sender !== null) bySender.set(next.sender, (bySender.get(next.sender) ?? 1) - 1);
      try {
        await next.job();
      } catch (error) {
        onFault(error);
      }
    }
    drained = null;
  };
  const push = (job: Job, sender: number | null) => {
    if (closed) return;
    queue.push({ job, sender });
    drained ??= drain();
  };
  return {
    post: (job) => push(job, null),
    offer: (sender, job) => {
      const waiting = bySender.get(sender) ?? 0;
      if (waiting >= perSender) return false;
      if (!closed) bySender.set(sender, waiting + 1);
      push(job, sender);
      return true;
    },
    waiting: () => queue.length,
    close: async () => {
      closed = true;
      queue = [];
      await drained;
    },
  };
}
