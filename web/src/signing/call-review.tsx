import type { PreparedCall } from '@castellan/contracts';
import type { Check, DecodedArg } from '@castellan/sdk/calls';
import { CircleCheck, CircleX, Link2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { AddressTag, CopyButton } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { Notice } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { Digest } from '../digests/digest-list.tsx';
import { digestsOfCalldata } from '../digests/digests.ts';
import { reviewPath } from '../navigation/paths.ts';
import { changeText, fieldWords, readable, sentenceOf, type Units } from './call-text.ts';
import { PackageView } from './package-view.tsx';

type Props = {
  call: PreparedCall;
  check: Check;
  units?: Units;
  explorerUrl: string | null | undefined;
  /** Of the own position: nobody else may open it. */
  isOwn?: boolean;
};

/** Everything a signer should see before signing: words, what changes, what the bytes really say, the bytes, the simulation. */
export function CallReview({ call, check, units = {}, explorerUrl, isOwn = false }: Props) {
  const { decoded, problems } = check;
  return (
    <div className="flex flex-col gap-4">
      {decoded === undefined ? null : <p className="text-16 font-medium break-words">{sentenceOf(decoded, units)}</p>}
      <p className="text-13 break-words text-muted">{`The server says: ${call.description}`}</p>
      {problems.length === 0 ? null : (
        <Notice tone="critical" title="Do not sign this. The call is not what you asked for">
          <ul className="list-disc pl-4">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Changes call={call} units={units} />
      <MandateWarnings call={call} />
      <Preconditions call={call} />
      <Bytes call={call} check={check} units={units} explorerUrl={explorerUrl} />
      <PackageView call={call} isTrusted={problems.length === 0} explorerUrl={explorerUrl} />
      {isOwn ? null : <ReviewLink id={call.id} />}
    </div>
  );
}

function Changes({ call, units }: { call: PreparedCall; units: Units }) {
  if (call.changes.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-13 font-semibold">What changes</h3>
      <PlainTable
        label="What changes"
        head={['Field', 'Before', 'After']}
        words={[1, 2]}
        isInset
        rows={call.changes.map(({ field, before, after }) => ({
          id: field,
          cells: [
            <span key="field" className="break-words">
              {fieldWords(field)}
            </span>,
            <span key="before" className="break-all text-muted">
              {changeText(field, before, units)}
            </span>,
            <span key="after" className="break-all">
              {changeText(field, after, units)}
            </span>,
          ],
        }))}
      />
    </section>
  );
}

/** What the call breaks of what the vault has promised. */
function MandateWarnings({ call: { mandate_warnings: warnings = [] } }: { call: PreparedCall }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn" title="This breaks the mandate of the vault">
      <ul className="flex flex-col gap-1">
        {warnings.map(({ promise_id, detail }) => (
          <li key={promise_id}>{detail}</li>
        ))}
      </ul>
    </Notice>
  );
}

function Preconditions({ call }: { call: PreparedCall }) {
  if (call.preconditions.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-13 font-semibold">What the chain checks</h3>
      <ul className="flex flex-col gap-1 text-13">
        {call.preconditions.map(({ code, ok, detail }) => (
          <li key={`${code} ${detail}`} className="flex items-start gap-2">
            {ok ? (
              <CircleCheck size={16} aria-label="Holds" className="mt-0.5 shrink-0 text-accent" />
            ) : (
              <CircleX size={16} aria-label="Does not hold" className="mt-0.5 shrink-0 text-danger" />
            )}
            <span className="min-w-0 break-words">
              {detail}
              {ok ? null : <code className="ml-1 font-mono text-12 text-danger">{code}</code>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bytes({ call, check, units = {}, explorerUrl }: Omit<Props, 'isOwn'>) {
  return (
    <dl className="flex flex-col gap-3 rounded-control border p-3">
      <Row label="Sent to">
        <AddressTag value={call.to} what="contract address" explorerUrl={explorerUrl} whole />
      </Row>
      <Row label="Native currency">{call.value === '0' ? 'None' : `${call.value} wei`}</Row>
      <Row label="Decoded in this browser">
        {check.decoded === undefined ? (
          'Not decodable'
        ) : (
          <>
            <code className="font-mono text-13">{check.decoded.function}</code>
            <ul className="flex flex-col">
              {check.decoded.args.map((arg) => (
                <Arg key={arg.name} arg={arg} units={units} explorerUrl={explorerUrl} />
              ))}
            </ul>
          </>
        )}
      </Row>
      <Row label="Simulation">
        {call.simulation.ok ? (
          <span className="inline-flex items-center gap-1.5 text-accent">
            <CircleCheck size={16} aria-hidden="true" /> Succeeds from the sender's wallet
          </span>
        ) : (
          <span className="inline-flex items-center gap-1.5 text-danger">
            <CircleX size={16} aria-hidden="true" />
            {`Would fail: ${call.simulation.revert_reason ?? 'no reason given'}`}
          </span>
        )}
      </Row>
      <Row label="To compare on a hardware screen">
        <dl className="flex flex-col gap-2">
          {digestsOfCalldata(call.data as `0x${string}`).map((each) => (
            <Digest key={each.label} {...each} />
          ))}
        </dl>
      </Row>
      <Row label="Raw calldata">
        <span className="flex items-start gap-1">
          <code
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
            tabIndex={0}
            className="max-h-24 min-w-0 flex-1 overflow-y-auto rounded bg-raised p-2 font-mono text-12 break-all"
          >
            {call.data}
          </code>
          <CopyButton value={call.data} what="calldata" />
        </span>
      </Row>
    </dl>
  );
}

type ArgProps = { arg: DecodedArg; units: Units; explorerUrl: string | null | undefined };

function Arg({ arg: { name, type, value }, units, explorerUrl }: ArgProps) {
  const values = typeof value === 'string' ? [value] : value;
  return (
    <li className="text-13">
      <span className="text-muted">{name} </span>
      {values.map((each, index) => {
        const words = readable(name, each, units);
        // Two entries may be equal, so their place is part of what they are.
        const key = `${index} ${each}`;
        if (type.startsWith('address')) {
          return (
            <span key={key} className="block">
              <AddressTag value={each} what={name} explorerUrl={explorerUrl} whole />
              {units.names?.[each.toLowerCase()] === undefined ? null : ` (${units.names[each.toLowerCase()]})`}
            </span>
          );
        }
        return (
          <span key={key} className="mr-2">
            <code className="font-mono break-all">{each}</code>
            {words === undefined ? null : ` (${words})`}
          </span>
        );
      })}
    </li>
  );
}

function ReviewLink({ id }: { id: string }) {
  const link = `${window.location.origin}${reviewPath(id)}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      toast({ tone: 'info', title: 'Review link copied', detail: 'Any manager of this vault can open it.' });
    } catch {
      toast({ tone: 'warn', title: `The browser did not allow copying. The link is ${link}` });
    }
  };
  return (
    <div>
      <Button look="quiet" onPress={copy} className="-ml-3">
        <Link2 size={16} aria-hidden="true" />
        Copy review link
      </Button>
    </div>
  );
}

export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
