import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError, type World } from '@castellan/cli';
import {
  connectDurable,
  createLogger,
  type DeadLetter,
  type DurableBus,
  listDeadLetters,
  operatorUser,
  readDeadLetter,
  redriveDeadLetter,
} from '@castellan/service-kit';

/** What handlers could not take. It connects as NATS_URL (or the file NATS_URL_FILE) and NATS_NAMESPACE say. */
const deadLettersUsage = `castellan dead-letters list [--durable <group>]
castellan dead-letters show <number>
castellan dead-letters redrive <number> | --durable <group> | --all

A dead letter is published again for the group of consumers that could not handle it, once what made it fail is mended.
The bus is NATS_URL, or what the file NATS_URL_FILE holds; without both it is that of npm start here, as its user operator. Its namespace
is NATS_NAMESPACE (castellan).
`;

const pageSize = 100;

/** Written by `npm start`, which npm runs in the folder of the repository. */
const ownUrlFile = `.castellan/secrets/nats-url-${operatorUser}`;

function busUrl({ NATS_URL, NATS_URL_FILE }: World['env']): string {
  if (NATS_URL) return NATS_URL;
  const file = NATS_URL_FILE || (existsSync(ownUrlFile) ? ownUrlFile : undefined);
  return file ? readFileSync(file, 'utf8').trim() : 'nats://127.0.0.1:4222';
}

type Out = (text: string) => void;

async function* allOf(bus: DurableBus, durable: string | undefined): AsyncGenerator<DeadLetter> {
  let afterSeq = 0;
  for (;;) {
    const page = await listDeadLetters(bus, { ...(durable ? { durable } : {}), afterSeq, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (page.length < pageSize || !last) return;
    afterSeq = last.seq;
  }
}

const line = ({ seq, durable, origin, deliveries, buriedAt, reason }: DeadLetter) =>
  `${seq}\t${buriedAt.toISOString()}\t${durable}\t${origin.subject}\t${deliveries} deliveries\t${reason}\n`;

const numberOf = (text: string | undefined): number => {
  const seq = Number(text);
  if (text === undefined || !Number.isSafeInteger(seq) || seq < 1)
    throw new UsageError(`A dead letter has a number from 1 on, not "${text ?? ''}".`, deadLettersUsage);
  return seq;
};

async function list(bus: DurableBus, durable: string | undefined, out: Out): Promise<void> {
  let count = 0;
  for await (const letter of allOf(bus, durable)) {
    out(line(letter));
    count += 1;
  }
  out(`${count} dead letters\n`);
}

async function redrive(
  bus: DurableBus,
  which: { seq?: number; durable?: string | undefined },
  out: Out,
): Promise<void> {
  const seqs: number[] = [];
  if (which.seq !== undefined) seqs.push(which.seq);
  else for await (const { seq } of allOf(bus, which.durable)) seqs.push(seq);
  for (const seq of seqs) out(`published again: ${line(await redriveDeadLetter(bus, seq))}`);
  out(`${seqs.length} dead letters published again\n`);
}

/** @throws UsageError for what is not understood. */
export async function deadLetters(args: string[], { env, out }: Pick<World, 'env' | 'out'>): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { durable: { type: 'string' }, all: { type: 'boolean', default: false } },
  });
  const [command, text] = positionals;
  const { durable, all } = values;
  const isBulk = text === undefined && (all || durable !== undefined);
  if (command !== 'list' && command !== 'show' && command !== 'redrive')
    throw new UsageError('Which command?', deadLettersUsage);
  const seq = command === 'list' || (command === 'redrive' && isBulk) ? undefined : numberOf(text);
  const bus = await connectDurable({
    url: busUrl(env),
    namespace: env.NATS_NAMESPACE || 'castellan',
    service: 'dead-letters',
    log: createLogger({ service: 'dead-letters', level: 'warn' }),
  });
  try {
    if (command === 'list') await list(bus, durable, out);
    else if (command === 'redrive') await redrive(bus, seq === undefined ? { durable } : { seq }, out);
    else out(`${JSON.stringify(await readDeadLetter(bus, seq ?? 0), undefined, 2)}\n`);
  } finally {
    await bus.nats.close();
  }
}
