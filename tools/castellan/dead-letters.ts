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
const deadLettersUsage = `castellan dead-letters list [--durable <group>] [--json]
castellan dead-letters show <number>
castellan dead-letters redrive <number> | --durable <group> | --all [--json]

With --json list and redrive print a line of JSON for each.
A dead letter is published again for the group of consumers that could not handle it, once what made it fail is mended.
The bus is NATS_URL, or what the file NATS_URL_FILE holds: nats-url-operator of the secrets. Without both it is that of npm start here, as its
user operator. Its namespace is NATS_NAMESPACE (castellan).
`;

const pageSize = 100;

/** Written by `npm start`, which npm runs in the folder of the repository. */
const ownUrlFile = `.castellan/secrets/nats-url-${operatorUser}`;

function busUrl({ NATS_URL, NATS_URL_FILE }: World['env']): string {
  if (NATS_URL) return NATS_URL;
  const file = NATS_URL_FILE || (existsSync(ownUrlFile) ? ownUrlFile : undefined);
  return file ? readFileSync(file, 'utf8').trim() : 'nats://127.0.0.1:4222';
}

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

/** Says what becomes of a letter, as soon as it does: in words, or as a line of JSON. */
type Report = (letter: DeadLetter, words: string) => void;

async function list(bus: DurableBus, durable: string | undefined, report: Report): Promise<number> {
  let count = 0;
  for await (const letter of allOf(bus, durable)) {
    report(letter, line(letter));
    count += 1;
  }
  return count;
}

async function redrive(
  bus: DurableBus,
  which: { seq?: number; durable?: string | undefined },
  report: Report,
): Promise<number> {
  const seqs: number[] = [];
  if (which.seq !== undefined) seqs.push(which.seq);
  else for await (const { seq } of allOf(bus, which.durable)) seqs.push(seq);
  for (const seq of seqs) {
    const letter = await redriveDeadLetter(bus, seq);
    report(letter, `published again: ${line(letter)}`);
  }
  return seqs.length;
}

/** @throws UsageError for what is not understood. */
export async function deadLetters(args: string[], world: World): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      durable: { type: 'string' },
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const [command, text] = positionals;
  const { durable, all, json } = values;
  const isBulk = text === undefined && (all || durable !== undefined);
  if (command !== 'list' && command !== 'show' && command !== 'redrive')
    throw new UsageError('Which command?', deadLettersUsage);
  const seq = command === 'list' || (command === 'redrive' && isBulk) ? undefined : numberOf(text);
  const bus = await connectDurable({
    url: busUrl(world.env),
    namespace: world.env.NATS_NAMESPACE || 'castellan',
    service: 'dead-letters',
    log: createLogger({ service: 'dead-letters', level: 'warn' }),
  });
  const { out } = world;
  const report: Report = (letter, words) => out(json ? `${JSON.stringify(letter)}\n` : words);
  const total = (words: string) => json || out(`${words}\n`);
  try {
    if (command === 'list') total(`${await list(bus, durable, report)} dead letters`);
    else if (command === 'redrive')
      total(`${await redrive(bus, seq === undefined ? { durable } : { seq }, report)} dead letters published again`);
    else out(`${JSON.stringify(await readDeadLetter(bus, seq ?? 0), undefined, 2)}\n`);
  } finally {
    await bus.nats.close();
  }
}
