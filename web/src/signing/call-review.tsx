import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PreparedCall } from '../data/queries.ts';
import { AddressTag, CopyButton } from '../design/address-tag.tsx';
import { Notice } from '../design/states.tsx';
import type { Check } from './check-call.ts';

type Props = { call: PreparedCall; check: Check; explorerUrl: string | null | undefined };

/** Everything a signer should see before signing: words, target, what the bytes really say, the bytes, the simulation. */
export function CallReview({ call, check, explorerUrl }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <p className="break-words text-16">{call.description}</p>
      {check.problems.length === 0 ? null : (
        <Notice tone="critical" title="Do not sign this. The call is not what you asked for">
          <ul className="list-disc pl-4">
            {check.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
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
                {check.decoded.args.map(({ name, value }) => (
                  <li key={name} className="text-13">
                    <span className="text-muted">{name} </span>
                    <AddressTag value={value} what={name} explorerUrl={explorerUrl} whole />
                  </li>
                ))}
              </ul>
            </>
          )}
        </Row>
        <Row label="Simulation">
          {call.simulation.ok ? (
            <span className="inline-flex items-center gap-1.5 text-accent">
              <CircleCheck size={16} aria-hidden="true" /> Succeeds from your wallet now
            </span>
          ) : (
            <span className="inline-flex items-center gap-1.5 text-danger">
              <CircleX size={16} aria-hidden="true" />
              {`Would fail: ${call.simulation.revert_reason ?? 'no reason given'}`}
            </span>
          )}
        </Row>
        <Row label="Raw calldata">
          <span className="flex items-start gap-1">
            <code className="max-h-24 min-w-0 flex-1 overflow-y-auto rounded bg-raised p-2 font-mono text-12 break-all">
              {call.data}
            </code>
            <CopyButton value={call.data} what="calldata" />
          </span>
        </Row>
      </dl>
    </div>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
