import { publicRoutes } from '@castellan/contracts';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useApp } from '../client/services.ts';
import { type AnalyticsId, type Answer, readAnalytics } from '../data/use-analytics.ts';
import { AddressTag, CopyButton } from '../design/address-tag.tsx';
import { Failure, RowSkeletons } from '../design/states.tsx';
import { formatCount, formatCounted, NONE } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import { useMoment } from '../moment/use-moment.ts';
import type { ReceiptOf, Scales } from './receipt.ts';
import { exactText, plainFormula, type Receipt, readText, scaledText, statusWords } from './receipt-text.ts';

/** How a figure came about: what was put in, what was done with it, and the command that does it again. */
export default function ReceiptPanel<K extends AnalyticsId>({
  of,
  onClose,
}: {
  of: ReceiptOf<K>;
  onClose: () => void;
}) {
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      isDismissable
      className="fixed inset-0 z-40 flex justify-end bg-[rgb(4_8_11/60%)]"
    >
      <Modal className="flex h-full w-full max-w-lg flex-col border-l bg-surface">
        <AriaDialog className="flex min-h-0 flex-1 flex-col outline-none">
          <header className="flex items-center justify-between gap-4 border-b px-5 py-3">
            <Heading slot="title" className="text-16 font-semibold">
              {`Receipt: ${of.label}`}
            </Heading>
            <Button
              aria-label="Close"
              onPress={onClose}
              className="grid size-8 place-items-center rounded-control text-muted hover:bg-raised hover:text-text"
            >
              <X size={16} aria-hidden="true" />
            </Button>
          </header>
          <section aria-label="Receipt" className="min-h-0 flex-1 overflow-y-auto p-5">
            <Content of={of} />
          </section>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function Content<K extends AnalyticsId>({ of }: { of: ReceiptOf<K> }) {
  const { api } = useApp();
  const { at } = useMoment();
  const { source, id, query, path, moment = at === undefined ? {} : { at } } = of;
  const { chain_id, vault_address } = source.vault;
  const answer = useQuery({
    queryKey: ['receipt', chain_id, vault_address, moment, id, query, path],
    queryFn: () => readAnalytics(api, id, source, { ...query, ...moment, receipt: path }),
    // One reading is looked at; it does not change while the panel is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (answer.data === undefined) {
    return answer.isError ? (
      <Failure error={answer.error} title="The receipt could not be read" retry={() => answer.refetch()} />
    ) : (
      <RowSkeletons rows={6} />
    );
  }
  const receipt = answer.data.receipts?.[path];
  if (receipt === undefined) return <Reading of={of} answer={answer.data} />;
  return (
    <ReceiptText
      receipt={receipt}
      asOf={answer.data.as_of}
      block={answer.data.block_number}
      explorerUrl={source.chain.explorer_url}
      scales={source.vault}
    />
  );
}

/** A figure that is read and not computed: where it stands in which answer, and how to ask for it again. */
function Reading<K extends AnalyticsId>({ of, answer }: { of: ReceiptOf<K>; answer: Answer }) {
  const { chain_id, vault_address } = of.source.vault;
  const path = publicRoutes[of.id].path
    .replace('{chain_id}', String(chain_id))
    .replace('{vault_address}', vault_address);
  const query = new URLSearchParams({ ...of.query, block: String(answer.block_number) });
  return (
    <div className="flex flex-col gap-5">
      <p className="text-13 text-muted">
        The server keeps no arithmetic for this figure. It is part of the answer below, which is the same for everybody
        who asks about that block.
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-13">
        <Fact name="True as of">{`${formatUtc(answer.as_of)}, block ${answer.block_number}`}</Fact>
        <Fact name="Stands at">
          <code className="font-mono break-all">{of.path}</code>
        </Fact>
      </dl>
      <Command text={`curl -s '${window.location.origin}${path}?${query}' | jq '.${jqPath(of.path)}'`} />
    </div>
  );
}

/** `sources.0.share` as jq reads it. */
const jqPath = (path: string): string => path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');

const Command = ({ text }: { text: string }) => (
  <Part title="Compute it again">
    <div className="flex items-start gap-2 rounded-control border bg-raised p-3">
      <code className="min-w-0 flex-1 font-mono text-12 break-all">{text}</code>
      <CopyButton value={text} what="command" />
    </div>
  </Part>
);

type TextProps = {
  receipt: Receipt;
  asOf: string;
  block: number;
  explorerUrl: string | null | undefined;
  scales: Scales;
};

function ReceiptText({ receipt, asOf, block, explorerUrl, scales }: TextProps) {
  const { window } = receipt;
  return (
    <div className="flex flex-col gap-5">
      <Value receipt={receipt} scales={scales} />
      <Formula receipt={receipt} />
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-13">
        <Fact name="True as of">{`${formatUtc(asOf)}, block ${block}`}</Fact>
        <Fact name="Window">
          {window === null
            ? `${NONE} a figure of one moment`
            : `${formatUtc(window.from)} to ${formatUtc(window.to)} (${formatDuration(window.actual_seconds)})`}
        </Fact>
        <Fact name="Sample">{formatCounted(receipt.sample_size, 'observation')}</Fact>
        <Fact name="Rests on">
          {receipt.rests_on === 'logs'
            ? 'Logs of the chain alone'
            : 'Logs of the chain, and readings of its state at blocks'}
        </Fact>
        <Fact name="Gaps">
          {receipt.gaps.length === 0
            ? 'None'
            : receipt.gaps.map(({ from, to, reason }) => (
                <span key={from} className="block">{`${formatUtc(from)} to ${formatUtc(to)}: ${reason}`}</span>
              ))}
        </Fact>
      </dl>
      <Part title={`Inputs (${formatCount(receipt.inputs.length)})`}>
        <Inputs inputs={receipt.inputs} explorerUrl={explorerUrl} scales={scales} />
      </Part>
      <Command text={receipt.verify} />
    </div>
  );
}

/** In whole tokens where that can be said, with the integer of the chain below. */
function Value({ receipt: { value, unit, status }, scales }: Pick<TextProps, 'receipt' | 'scales'>) {
  const scaled = scaledText(value, unit, scales);
  const isExact = typeof value !== 'number' && scaled === undefined;
  return (
    <div>
      <p className="text-28 font-semibold tracking-tight break-all tabular-nums">{scaled ?? readText(value, unit)}</p>
      <p className="text-13 text-muted">{`${unit} · ${statusWords[status]}${isExact ? '' : ` · exactly ${exactText(value)}`}`}</p>
    </div>
  );
}

function Formula({ receipt: { formula, method } }: Pick<TextProps, 'receipt'>) {
  const words = plainFormula(method);
  return (
    <Part title="Formula">
      {words === undefined ? (
        <>
          <p className="font-mono text-13 break-words">{formula}</p>
          <p className="text-12 text-muted">{`Method ${method}`}</p>
        </>
      ) : (
        <p className="text-13">{words}</p>
      )}
    </Part>
  );
}

/** More of a long list of inputs is in the answer itself; the panel stays quick. */
const MOST_INPUTS = 200;

function Inputs({ inputs, explorerUrl, scales }: Pick<Receipt, 'inputs'> & Pick<TextProps, 'explorerUrl' | 'scales'>) {
  if (inputs.length === 0) return <p className="text-13 text-muted">None: the figure is a constant.</p>;
  return (
    <>
      <ul className="flex flex-col divide-y rounded-control border">
        {inputs.slice(0, MOST_INPUTS).map((input, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: inputs of a receipt do not move, and may repeat
          <li key={index} className="flex flex-col gap-0.5 px-3 py-2 text-13">
            <span className="flex flex-wrap justify-between gap-x-4">
              <span className="font-medium">{input.name}</span>
              <span className="break-all tabular-nums" title={exactText(input.value)}>
                {typeof input.value === 'number'
                  ? readText(input.value, input.unit)
                  : `${exactText(input.value)} ${input.unit}`}
              </span>
            </span>
            <span className="flex flex-wrap items-center gap-x-2 text-12 text-muted">
              <Scaled text={scaledText(input.value, input.unit, scales)} />
              <span>{input.source}</span>
              {input.t === null ? null : <span>{formatUtc(input.t)}</span>}
              {input.block === null ? null : <span>{`block ${input.block}`}</span>}
              {input.tx_hash === null ? null : (
                <AddressTag
                  value={input.tx_hash}
                  what={`transaction of ${input.name}`}
                  explorerUrl={explorerUrl}
                  kind="tx"
                />
              )}
              {input.log_index === null ? null : <span>{`log ${input.log_index}`}</span>}
            </span>
          </li>
        ))}
      </ul>
      {inputs.length > MOST_INPUTS ? (
        <p className="text-12 text-muted">{`The first ${formatCount(MOST_INPUTS)} of ${formatCount(inputs.length)}; the command below reads all.`}</p>
      ) : null}
    </>
  );
}

/** What an integer of the chain is in whole tokens; the integer itself is what the formula takes. */
const Scaled = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <span className="break-all tabular-nums">{`= ${text}`}</span>;

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex flex-col gap-2">
    <h3 className="label-caps">{title}</h3>
    {children}
  </div>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
);
